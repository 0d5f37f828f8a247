; Definitions.
(function_definition name: (word) @name body: (_) @body) @function

; What names are bound to.
(variable_assignment name: (variable_name) @target value: (_) @value) @binding

; What is called; `source` is a call.
(command name: (command_name (word) @call) . argument: (_)? @arguments)

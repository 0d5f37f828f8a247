; Definitions.
(method
  name: (_) @name
  parameters: (method_parameters)? @parameters
  body: (_)? @body) @function
(singleton_method
  name: (_) @name
  parameters: (method_parameters)? @parameters
  body: (_)? @body) @function
(method body: (body_statement (_) @return .))
(method body: [(call) (identifier) (instance_variable)] @return)
(singleton_method body: (body_statement (_) @return .))
(class name: (_) @name body: (_)? @body) @class
(module name: (_) @name body: (_)? @body) @type
(superclass (_) @base)
(lambda parameters: (_)? @parameters) @lambda

; What names are bound to.
(assignment left: (_) @target right: (_) @value) @binding
(operator_assignment left: (_) @target right: (_) @value) @binding
(for pattern: (_) @target value: (_) @value) @loop
(rescue
  exceptions: (exceptions . (_) @value .)
  variable: (exception_variable (identifier) @target)) @with
(return (argument_list . (_) @return .))

; What is called and read; `require` is a call.
(call arguments: (argument_list)? @arguments) @call
(body_statement (identifier) @call)
(block_body (identifier) @call)
(then (identifier) @call)
(if condition: (identifier) @call)
(unless condition: (identifier) @call)
(if_modifier condition: (identifier) @call)
(scope_resolution) @read
(array (constant) @read)
(pair value: (constant) @read)
(interpolation (identifier) @call)

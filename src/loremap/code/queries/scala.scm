; Definitions.
(function_definition
  name: (_) @name
  parameters: (parameters)? @parameters
  body: (_) @body) @function
(function_declaration name: (_) @name parameters: (parameters)? @parameters) @function
(function_definition return_type: (_) @returns)
(function_declaration return_type: (_) @returns)
(function_definition !return_type body: [(identifier) (call_expression) (instance_expression) (field_expression)] @return)
(class_definition name: (_) @name body: (_)? @body) @class
(object_definition name: (_) @name body: (_)? @body) @class
(package_object name: (_) @name body: (_)? @body) @class
(trait_definition name: (_) @name body: (_)? @body) @type
(enum_definition name: (_) @name body: (_)? @body) @type
(type_definition name: (_) @name) @type
(given_definition name: (_) @name) @type
(extends_clause [(type_identifier) (generic_type) (stable_type_identifier)] @base)
(type_definition type: (_) @base)
(lambda_expression parameters: (_) @parameters) @lambda

; Package and imports.
(package_clause name: (_) @package)
(import_declaration) @brings

; What names are bound to.
(function_definition
  (parameters (parameter name: (identifier) @target type: (_) @type) @binding))
(class_parameter name: (identifier) @target type: (_) @type) @binding
(val_definition pattern: (_) @target type: (_) @type) @binding
(val_definition pattern: (_) @target !type value: (_) @value) @binding
(var_definition pattern: (_) @target type: (_) @type) @binding
(var_definition pattern: (_) @target !type value: (_) @value) @binding
(val_declaration name: (_) @target type: (_) @type) @binding
(var_declaration name: (_) @target type: (_) @type) @binding
(typed_pattern pattern: (identifier) @target type: (_) @type) @binding
(enumerator . (identifier) @target . (_) @value) @loop
(assignment_expression left: (_) @target right: (_) @value) @assign

; What is called and read.
(call_expression function: (_) @call arguments: (_) @arguments)
(instance_expression [(type_identifier) (generic_type) (stable_type_identifier)] @call)
(block [(identifier) (field_expression)] @call)
(function_definition body: [(identifier) (field_expression)] @call)

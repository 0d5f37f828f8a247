; Definitions.
(function_declaration name: (simple_identifier) @name body: (_) @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(function_declaration
  [(user_type) (optional_type) (array_type) (dictionary_type) (opaque_type) (existential_type)]
  @returns . body: (_))
(protocol_function_declaration [(user_type) (optional_type) (array_type)] @returns .)
(init_declaration "init" @name body: (_)? @body) @method
(deinit_declaration "deinit" @name body: (_) @body) @method
(subscript_declaration "subscript" @name) @method
(class_declaration "class" name: (type_identifier) @name body: (_) @body) @class
(class_declaration "actor" name: (type_identifier) @name body: (_) @body) @class
(class_declaration "struct" name: (type_identifier) @name body: (_) @body) @type
(class_declaration "enum" name: (type_identifier) @name body: (_) @body) @type
(class_declaration "extension" name: (_) @name body: (_)) @extension
(protocol_declaration name: (type_identifier) @name body: (_) @body) @type
(typealias_declaration name: (type_identifier) @name) @type
(inheritance_specifier inherits_from: (_) @base)
(lambda_literal) @lambda
(parameter name: (simple_identifier) @name (_) @type .) @parameter
(lambda_parameter name: (simple_identifier) @name) @parameter

; Imports.
(import_declaration (identifier) @open)

; What names are bound to.
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @target)
  . (type_annotation (_) @type)) @binding
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @target)
  . value: (_) @value) @binding
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @target)
  . (type_annotation)
  . value: (call_expression) @value) @binding
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @target)
  (type_annotation (_) @type)) @binding
(if_statement
  (value_binding_pattern) . bound_identifier: (simple_identifier) @target . condition: (_) @value) @binding
(guard_statement
  (value_binding_pattern) . bound_identifier: (simple_identifier) @target . condition: (_) @value) @binding
(for_statement
  item: (pattern bound_identifier: (simple_identifier) @target)
  collection: (_) @value) @loop
(assignment target: (_) @target result: (_) @value) @assign

; What is called and read.
(call_expression . (_) @call (call_suffix (value_arguments)? @arguments))
(call_expression . (_) @given (call_suffix (lambda_literal) @block))
(as_expression (user_type) @mention)

; Definitions.
(function_definition
  declarator: (function_declarator
    declarator: (identifier) @name
    parameters: (parameter_list) @parameters)
  body: (compound_statement) @body) @function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (identifier) @name
      parameters: (parameter_list) @parameters))
  body: (compound_statement) @body) @function
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator
        declarator: (identifier) @name
        parameters: (parameter_list) @parameters)))
  body: (compound_statement) @body) @function
(declaration
  declarator: (function_declarator
    declarator: (identifier) @name
    parameters: (parameter_list) @parameters)) @declared
(declaration
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: (identifier) @name
      parameters: (parameter_list) @parameters))) @declared
(function_definition type: (_) @returns)
(struct_specifier name: (type_identifier) @name body: (_) @body) @type
(union_specifier name: (type_identifier) @name body: (_) @body) @type
(enum_specifier name: (type_identifier) @name body: (_) @body) @type
(type_definition
  type: (struct_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @type
(type_definition
  type: (union_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @type
(type_definition
  type: (enum_specifier !name body: (_) @body)
  declarator: (type_identifier) @name) @type
(type_definition
  type: [
    (struct_specifier name: (_)) (union_specifier name: (_)) (enum_specifier name: (_))
    (type_identifier) (primitive_type) (sized_type_specifier)]
  declarator: [
    (type_identifier) @name @type
    (pointer_declarator declarator: (type_identifier) @name @type)
    (function_declarator declarator: (type_identifier) @name @type)])
(type_definition
  declarator: (function_declarator
    declarator: (parenthesized_declarator
      (pointer_declarator declarator: (type_identifier) @name @type))))
(type_definition
  type: [(struct_specifier name: (_) @base) (union_specifier name: (_) @base) (type_identifier) @base]
  declarator: [(type_identifier) @of (pointer_declarator declarator: (type_identifier) @of)])
(preproc_function_def
  name: (identifier) @name
  parameters: (preproc_params) @parameters
  value: (_)? @body) @function

; Includes.
(preproc_include path: (_) @import)

; What names are bound to.
(preproc_def name: (identifier) @target value: (_) @value) @binding
(field_declaration
  type: (_) @type
  declarator: [
    (field_identifier) @target
    (pointer_declarator declarator: (field_identifier) @target)
    (array_declarator declarator: (field_identifier) @target)]) @binding
(declaration
  type: (_) @type
  declarator: [
    (identifier) @target
    (pointer_declarator declarator: (identifier) @target)
    (array_declarator declarator: (identifier) @target)
    (init_declarator declarator: (_) @target)]) @binding
(init_declarator declarator: (identifier) @target value: (identifier) @value) @binding
(assignment_expression left: (_) @target right: (identifier) @value) @assign

; What is called and read.
(call_expression function: (_) @call arguments: (_) @arguments)
(initializer_list (identifier) @read)
(initializer_pair value: (identifier) @read)
(binary_expression (identifier) @read)
(case_statement value: (identifier) @read)

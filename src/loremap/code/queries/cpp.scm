; Definitions.
(function_definition
  declarator: (function_declarator
    declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name
    parameters: (parameter_list) @parameters)
  body: (_)? @body) @function
(function_definition
  declarator: (pointer_declarator
    declarator: (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name)] @name
      parameters: (parameter_list) @parameters))
  body: (_)? @body) @function
(function_definition
  declarator: (reference_declarator
    (function_declarator
      declarator: [(identifier) (field_identifier) (operator_name)] @name
      parameters: (parameter_list) @parameters))
  body: (_)? @body) @function
(function_definition
  declarator: (function_declarator
    declarator: (qualified_identifier
      scope: (_) @receiver
      name: [(identifier) (operator_name) (destructor_name) (template_function)] @name)
    parameters: (parameter_list) @parameters)
  body: (_)? @body) @function
(function_definition
  declarator: (_
    (function_declarator
      declarator: (qualified_identifier
        scope: (_) @receiver
        name: [(identifier) (operator_name) (template_function)] @name)
      parameters: (parameter_list) @parameters))
  body: (_)? @body) @function
(function_definition
  declarator: (function_declarator
    declarator: (qualified_identifier
      name: (qualified_identifier
        scope: (_) @receiver
        name: [(identifier) (operator_name) (destructor_name)] @name))
    parameters: (parameter_list) @parameters)
  body: (_)? @body) @function
(function_definition
  declarator: (_
    (function_declarator
      declarator: (qualified_identifier
        name: (qualified_identifier
          scope: (_) @receiver
          name: [(identifier) (operator_name)] @name))
      parameters: (parameter_list) @parameters))
  body: (_)? @body) @function
(function_definition
  declarator: (pointer_declarator
    declarator: (pointer_declarator
      declarator: (function_declarator
        declarator: [(identifier) (field_identifier)] @name
        parameters: (parameter_list) @parameters)))
  body: (_)? @body) @function
(function_definition
  declarator: (function_declarator
    declarator: (template_function name: (identifier) @name)
    parameters: (parameter_list) @parameters)
  body: (_)? @body) @function
(declaration
  declarator: (function_declarator
    declarator: [(identifier) (operator_name) (destructor_name)] @name
    parameters: (parameter_list) @parameters)) @declared
(declaration
  declarator: (_
    (function_declarator
      declarator: (identifier) @name
      parameters: (parameter_list) @parameters))) @declared
(field_declaration
  declarator: (function_declarator
    declarator: [(field_identifier) (operator_name)] @name
    parameters: (parameter_list) @parameters)) @declared
(field_declaration
  declarator: (_
    (function_declarator
      declarator: [(field_identifier) (operator_name)] @name
      parameters: (parameter_list) @parameters))) @declared
(function_definition type: (_) @returns)
(declaration type: (_) @returns declarator: (function_declarator))
(declaration type: (_) @returns declarator: (_ (function_declarator)))
(field_declaration type: (_) @returns declarator: (function_declarator))
(field_declaration type: (_) @returns declarator: (_ (function_declarator)))
(class_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))]
  body: (_) @body) @class
(struct_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))]
  body: (_) @body) @type
(union_specifier
  name: [
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)
    (qualified_identifier name: (template_type name: (type_identifier) @name))]
  body: (_) @body) @type
(enum_specifier name: (_) @name body: (_) @body) @type
(function_definition
  type: [(class_specifier !body) (struct_specifier !body)]
  declarator: (identifier) @name
  body: (compound_statement) @body) @class
(concept_definition name: (_) @name) @type
(alias_declaration name: (_) @name) @type
(alias_declaration type: (type_descriptor type: (_) @base))
(type_definition
  type: [
    (struct_specifier !name body: (_) @body) (enum_specifier !name body: (_) @body)
    (union_specifier !name body: (_) @body)]
  declarator: (type_identifier) @name) @type
(type_definition
  type: [
    (struct_specifier name: (_)) (enum_specifier name: (_)) (union_specifier name: (_))
    (type_identifier) (primitive_type)
    (sized_type_specifier) (template_type) (qualified_identifier)]
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
(base_class_clause [(type_identifier) (template_type) (qualified_identifier)] @base)
(lambda_expression
  declarator: (abstract_function_declarator parameters: (parameter_list) @parameters)) @lambda
(preproc_function_def
  name: (identifier) @name
  parameters: (preproc_params) @parameters
  value: (_)? @body) @function

; Namespaces and includes.
(namespace_definition name: (_) @namespace)
(preproc_include path: (_) @import)

; What names are bound to.
(namespace_alias_definition name: (_) @target (_) @value) @binding
(using_declaration (qualified_identifier name: (identifier) @target) @value) @binding
(preproc_def name: (identifier) @target value: (_) @value) @binding
(field_declaration
  type: (_) @type
  declarator: [
    (field_identifier) @target
    (pointer_declarator declarator: (field_identifier) @target)
    (reference_declarator (field_identifier) @target)
    (array_declarator declarator: (field_identifier) @target)]) @binding
(declaration
  type: (_) @type
  declarator: [
    (identifier) @target
    (pointer_declarator declarator: (identifier) @target)
    (reference_declarator (identifier) @target)
    (array_declarator declarator: (identifier) @target)
    (init_declarator declarator: (_) @target)]) @binding
(init_declarator
  declarator: (_) @target
  value: [(call_expression) (new_expression) (identifier) (field_expression)] @value) @binding
(for_range_loop declarator: (_) @target right: (_) @value) @loop
(for_range_loop type: (_) @type declarator: (_) @target) @binding
(catch_clause
  parameters: (parameter_list
    (parameter_declaration type: (_) @type declarator: (_) @target) @binding))
(assignment_expression left: (_) @target right: (_) @value) @assign

; What is called and read.
(call_expression function: (_) @call arguments: (_) @arguments)
(new_expression type: (_) @call arguments: (argument_list)? @arguments)
(declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @call
  declarator: (init_declarator value: [(argument_list) (initializer_list)] @arguments))
(initializer_list [(identifier) (qualified_identifier)] @read)
(case_statement value: [(identifier) (qualified_identifier)] @read)
(template_argument_list (type_descriptor type: (type_identifier) @read))

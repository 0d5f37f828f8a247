; Definitions.
(method_declaration
  name: (identifier) @name
  parameters: (_) @parameters
  body: (_)? @body) @method
(method_declaration returns: (_) @returns)
(constructor_declaration
  name: (identifier) @name
  parameters: (_) @parameters
  body: (_)? @body) @method
(destructor_declaration name: (identifier) @name body: (_)? @body) @method
(operator_declaration operator: _ @name parameters: (_) @parameters body: (_)? @body) @method
(local_function_statement
  name: (identifier) @name
  parameters: (_) @parameters
  body: (_)? @body) @function
(local_function_statement type: (_) @returns)
(class_declaration name: (identifier) @name body: (_)? @body) @class
(record_declaration name: (identifier) @name body: (_)? @body) @class
(struct_declaration name: (identifier) @name body: (_)? @body) @type
(interface_declaration name: (identifier) @name body: (_)? @body) @type
(enum_declaration name: (identifier) @name body: (_)? @body) @type
(delegate_declaration name: (identifier) @name) @type
(base_list (_) @base)
(base_list (_) @call . (argument_list) @arguments)
(method_declaration
  parameters: (parameter_list . (parameter . (modifier) @extends)))
(constructor_initializer ["base" "this"] @call (argument_list) @arguments)
(lambda_expression parameters: (_) @parameters body: (_) @result) @lambda

; Namespaces and imports.
(namespace_declaration name: (_) @package) @span
(file_scoped_namespace_declaration name: (_) @package)
(using_directive !name [(identifier) (qualified_name)] @open)
(using_directive "global" !name [(identifier) (qualified_name)] @everywhere)
(using_directive name: (identifier) @alias (_) @import .)

; What names are bound to.
(property_declaration type: (_) @type name: (identifier) @target) @binding
(record_declaration
  (parameter_list (parameter type: (_) @type name: (identifier) @target) @binding))
(class_declaration
  (parameter_list (parameter type: (_) @type name: (identifier) @target) @binding))
(field_declaration
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @target))) @binding
(event_field_declaration
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @target))) @binding
(local_declaration_statement
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @target))) @binding
(using_statement
  (variable_declaration
    type: (_) @type
    (variable_declarator name: (identifier) @target))) @binding
(variable_declarator
  name: (identifier) @target
  [(object_creation_expression) (invocation_expression) (await_expression) (cast_expression)
   (member_access_expression) (as_expression)] @value) @binding
(foreach_statement left: (identifier) @target right: (_) @value) @loop
(foreach_statement type: (_) @type left: (identifier) @target) @binding
(catch_declaration type: (_) @type name: (identifier) @target) @binding
(declaration_pattern type: (_) @type name: (identifier) @target) @binding
(declaration_expression type: (_) @type name: (identifier) @target) @binding
(assignment_expression left: (_) @target right: (_) @value) @assign

; What is called and read.
(invocation_expression function: (_) @call arguments: (_) @arguments)
(object_creation_expression type: (_) @call arguments: (_) @arguments)
(object_creation_expression type: (_) @call !arguments)
(attribute name: (_) @read)
(cast_expression type: (_) @mention)
(typeof_expression (_) @mention)
(variable_declaration
  type: (_) @call
  (variable_declarator (implicit_object_creation_expression (argument_list) @arguments)))

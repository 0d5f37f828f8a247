; Definitions.
(function_definition
  name: (name) @name
  parameters: (_) @parameters
  body: (_) @body) @function
(method_declaration
  name: (name) @name
  parameters: (_) @parameters
  body: (_)? @body) @method
(function_definition return_type: (_) @returns)
(method_declaration return_type: (_) @returns)
(class_declaration name: (name) @name body: (_) @body) @class
(interface_declaration name: (name) @name body: (_) @body) @type
(trait_declaration name: (name) @name body: (_) @body) @type
(enum_declaration name: (name) @name body: (_) @body) @type
(base_clause (_) @base)
(class_interface_clause (_) @base)
(declaration_list (use_declaration (_) @base))
(arrow_function parameters: (_) @parameters body: (_) @result) @lambda
(anonymous_function parameters: (_) @parameters) @lambda

; Namespace and imports.
(namespace_definition name: (_) @package)
(namespace_use_declaration
  (namespace_use_clause . [(name) (qualified_name)] @import . alias: (name)? @alias))
(namespace_use_declaration
  (namespace_name) @from
  body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @item . alias: (name)? @alias)))
(require_once_expression (_) @import)
(require_expression (_) @import)
(include_expression (_) @import)
(include_once_expression (_) @import)

; What names are bound to.
(const_element . (name) @target . (_) @value) @binding
(property_declaration
  type: (_) @type
  (property_element name: (variable_name (name) @target))) @binding
(property_declaration
  (property_element
    name: (variable_name (name) @target)
    default_value: (_) @value)) @binding
(property_declaration
  !type
  (property_element name: (variable_name (name) @target @value) !default_value)) @binding
(property_promotion_parameter
  type: (_) @type
  name: (variable_name (name) @target)) @member
(assignment_expression left: (_) @target right: (_) @value) @binding
(foreach_statement . (_) @value . (variable_name) @target) @loop
(foreach_statement . (_) @value . (pair (_) (variable_name) @target)) @loop
(catch_clause type: (_) @type name: (_) @target) @binding
(global_declaration (variable_name (name) @global))
(static_variable_declaration name: (_) @target value: (_) @value) @binding
(return_statement (_) @return)

; What is called and read.
(function_call_expression function: (_) @call arguments: (_) @arguments)
(member_call_expression arguments: (_) @arguments) @call
(nullsafe_member_call_expression arguments: (_) @arguments) @call
(scoped_call_expression arguments: (_) @arguments) @call
(object_creation_expression [(name) (qualified_name)] @call (arguments)? @arguments)
(class_constant_access_expression) @read
(scoped_property_access_expression) @read
(member_access_expression) @read
(binary_expression right: (name) @read)

; Definitions.
(function_declaration name: (_) @name parameters: (_) @parameters body: (_)? @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration name: (_)? @self type: (_) @receiver))
  name: (_) @name
  parameters: (_) @parameters
  body: (_)? @body) @method
(func_literal parameters: (_) @parameters) @lambda
(type_spec name: (_) @name type: (struct_type) @body) @type
(type_spec name: (_) @name type: (interface_type) @body) @type
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name parameters: (_) @parameters) @method
(field_declaration !name type: (_) @base)
(interface_type (type_elem (type_identifier) @base))
(interface_type (type_elem (qualified_type) @base))
(type_alias type: (_) @base)
(function_declaration result: [(type_identifier) (pointer_type) (slice_type) (map_type) (qualified_type) (generic_type) (function_type) (channel_type) (array_type)] @returns)
(method_declaration result: [(type_identifier) (pointer_type) (slice_type) (map_type) (qualified_type) (generic_type) (function_type) (channel_type) (array_type)] @returns)
(method_elem result: [(type_identifier) (pointer_type) (slice_type) (map_type) (qualified_type) (generic_type) (function_type) (channel_type) (array_type)] @returns)
(func_literal result: [(type_identifier) (pointer_type) (slice_type) (map_type) (qualified_type) (generic_type) (function_type) (channel_type) (array_type)] @returns)
(function_declaration result: (parameter_list (parameter_declaration type: (_) @gives)))
(method_declaration result: (parameter_list (parameter_declaration type: (_) @gives)))
(method_elem result: (parameter_list (parameter_declaration type: (_) @gives)))
(func_literal result: (parameter_list (parameter_declaration type: (_) @gives)))

; Imports.
(package_clause (package_identifier) @package)
(import_spec !name path: (interpreted_string_literal (interpreted_string_literal_content) @import))
(import_spec
  name: (package_identifier) @alias
  path: (interpreted_string_literal (interpreted_string_literal_content) @import))
(import_spec
  name: (blank_identifier) @alias
  path: (interpreted_string_literal (interpreted_string_literal_content) @import))

; What names are bound to.
(short_var_declaration left: (_) @target right: (_) @value) @binding
(var_spec name: (_) @target type: (_) @type) @binding
(var_spec name: (_) @target value: (expression_list . (_) @value .)) @binding
(const_spec name: (_) @target) @binding
(field_declaration name: (_) @target type: (_) @type) @binding
(range_clause left: (expression_list . (_) . (_) @target .) right: (_) @value) @loop
(type_switch_statement alias: (expression_list (identifier) @target)) @binding
(assignment_statement left: (_) @target right: (_) @value) @assign
(return_statement (_) @return)

; What is called and read.
(call_expression function: (_) @call arguments: (_) @arguments)
(type_conversion_expression type: (generic_type type: (_) @call))
(binary_expression [(identifier) (selector_expression)] @read)
(unary_expression operand: [(identifier) (selector_expression)] @read)
(keyed_element value: (literal_element [(identifier) (selector_expression)] @read))
(literal_value (literal_element [(identifier) (selector_expression)] @read))
(index_expression operand: [(identifier) (selector_expression)] @read)
(index_expression index: [(identifier) (selector_expression)] @read)
(if_statement condition: [(identifier) (selector_expression)] @read)
(expression_case value: (expression_list [(identifier) (selector_expression)] @read))
(expression_switch_statement value: [(identifier) (selector_expression)] @read)
(composite_literal type: (_) @mention)
(parameter_declaration type: (_) @mention)
(variadic_parameter_declaration type: (_) @mention)
(field_declaration type: (_) @mention)
(var_spec type: (_) @mention)
(type_assertion_expression type: (_) @mention)
(type_case type: (_) @mention)
(function_declaration result: (type_identifier) @mention)
(function_declaration result: (pointer_type) @mention)
(method_declaration result: (type_identifier) @mention)
(method_declaration result: (pointer_type) @mention)

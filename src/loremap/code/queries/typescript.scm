; Definitions.
(function_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @function
(generator_function_declaration name: (_) @name parameters: (_) @parameters body: (_) @body) @function
(function_signature name: (_) @name parameters: (_) @parameters) @function
(method_definition name: (_) @name parameters: (_) @parameters body: (_) @body) @method
(method_signature name: (_) @name parameters: (_) @parameters) @method
(abstract_method_signature name: (_) @name parameters: (_) @parameters) @method
(variable_declarator
  name: (identifier) @name
  value: (arrow_function parameters: (_) @parameters body: (_) @body) @is) @function
(variable_declarator
  name: (identifier) @name
  value: (arrow_function parameter: (_) @parameters body: (_) @body) @is) @function
(variable_declarator
  name: (identifier) @name
  value: (function_expression parameters: (_) @parameters body: (_) @body) @is) @function
(variable_declarator
  name: (identifier) @name
  value: (generator_function parameters: (_) @parameters body: (_) @body) @is) @function
(public_field_definition
  name: (_) @name
  value: (arrow_function parameters: (_) @parameters body: (_) @body) @is) @method
(public_field_definition
  name: (_) @name
  value: (function_expression parameters: (_) @parameters body: (_) @body) @is) @method
(pair
  key: (property_identifier) @name
  value: (arrow_function parameters: (_) @parameters body: (_) @body) @is) @method
(pair
  key: (property_identifier) @name
  value: (function_expression parameters: (_) @parameters body: (_) @body) @is) @method
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: (arrow_function parameters: (_) @parameters body: (_) @body) @is) @method
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: (function_expression parameters: (_) @parameters body: (_) @body) @is) @method
(function_expression name: (_) @name parameters: (_) @parameters body: (_) @body) @function
(arrow_function parameters: (_) @parameters) @lambda
(arrow_function parameter: (_) @parameters) @lambda
(function_expression parameters: (_) @parameters) @lambda
(generator_function parameters: (_) @parameters) @lambda
(arrow_function body: (_) @result)
(class_declaration name: (_) @name body: (_) @body) @class
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(variable_declarator name: (identifier) @name value: (class body: (_) @body) @is) @class
(class name: (_) @name body: (_) @body) @class
(class !name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @type
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name body: (_) @body) @type
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
(type_alias_declaration value: [(type_identifier) (generic_type) (nested_type_identifier)] @base)
(type_alias_declaration value: (intersection_type [(type_identifier) (generic_type)] @base))
(function_declaration return_type: (type_annotation (_) @returns))
(function_signature return_type: (type_annotation (_) @returns))
(method_definition return_type: (type_annotation (_) @returns))
(method_signature return_type: (type_annotation (_) @returns))
(abstract_method_signature return_type: (type_annotation (_) @returns))
(arrow_function return_type: (type_annotation (_) @returns))
(function_expression return_type: (type_annotation (_) @returns))
(class_declaration decorator: (decorator (_) @decorator))
(class_body decorator: (decorator (_) @decorator) . (method_definition) @of)

; Imports and exports.
(import_statement . (string (string_fragment) @import))
(import_statement (import_clause (identifier) @alias) source: (string (string_fragment) @from))
(import_statement
  (import_clause (namespace_import (identifier) @alias))
  source: (string (string_fragment) @import))
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @item !alias)))
  source: (string (string_fragment) @from))
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @item alias: (_) @alias)))
  source: (string (string_fragment) @from))
(import_require_clause (identifier) @alias source: (string (string_fragment) @import))
(export_statement "*" @item source: (string (string_fragment) @from))
(export_statement
  (namespace_export (_) @alias)
  source: (string (string_fragment) @import))
(export_statement
  (export_clause (export_specifier name: (_) @item !alias))
  source: (string (string_fragment) @from))
(export_statement
  (export_clause (export_specifier name: (_) @item alias: (_) @alias))
  source: (string (string_fragment) @from))
(export_statement !source
  (export_clause (export_specifier name: (_) @export alias: (_) @alias)))
(export_statement "default" value: (_) @export)
(export_statement "default" declaration: (function_declaration name: (_) @export))
(export_statement "default" declaration: (class_declaration name: (_) @export))
(export_statement "default" declaration: (abstract_class_declaration name: (_) @export))
(export_statement "default" declaration: (interface_declaration name: (_) @export))

; What names are bound to.
(variable_declarator name: (_) @target value: (_) @value) @binding
(variable_declarator name: (_) @target type: (type_annotation (_) @type)) @binding
(variable_declarator name: (_) @target !value !type) @binding
(public_field_definition name: (_) @target value: (_) @value) @binding
(public_field_definition name: (_) @target type: (type_annotation (_) @type)) @binding
(public_field_definition name: (_) @target !value !type) @binding
(property_signature name: (_) @target type: (type_annotation (_) @type)) @binding
(enum_assignment name: (_) @target) @binding
(enum_body name: (_) @target) @binding
(required_parameter (accessibility_modifier) pattern: (identifier) @target
  type: (type_annotation (_) @type)) @field
(assignment_expression left: (_) @target right: (_) @value) @assign
(for_in_statement left: (_) @target operator: "of" right: (_) @value) @loop
(catch_clause parameter: (_) @target) @binding
(return_statement (_) @return)
(yield_expression (_) @yield)

; What is called and read.
(call_expression function: (_) @call arguments: (_) @arguments)
(new_expression constructor: (_) @call arguments: (_)? @arguments)
(array [(identifier) (member_expression)] @read)
(pair value: [(identifier) (member_expression)] @read)
(shorthand_property_identifier) @read
(binary_expression [(identifier) (member_expression)] @read)
(unary_expression argument: [(identifier) (member_expression)] @read)
(parenthesized_expression [(identifier) (member_expression)] @read)
(ternary_expression [(identifier) (member_expression)] @read)
(subscript_expression object: [(identifier) (member_expression)] @read)
(subscript_expression index: [(identifier) (member_expression)] @read)
(template_substitution [(identifier) (member_expression)] @read)
(spread_element [(identifier) (member_expression)] @read)
(type_annotation (_) @mention)
(type_arguments (_) @mention)
(as_expression (_) (_) @mention)
(extends_clause value: (_) @read)
(type_alias_declaration value: (_) @mention)

; Definitions.
(method_declaration
  name: (identifier) @name
  parameters: (_) @parameters
  body: (block)? @body) @method
(method_declaration type: (_) @returns)
(constructor_declaration
  name: (identifier) @name
  parameters: (_) @parameters
  body: (_) @body) @method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @method
(annotation_type_element_declaration name: (identifier) @name) @method
(class_declaration name: (identifier) @name body: (_) @body) @class
(record_declaration name: (identifier) @name body: (_) @body) @class
(enum_declaration name: (identifier) @name body: (_) @body) @type
(interface_declaration name: (identifier) @name body: (_) @body) @type
(annotation_type_declaration name: (identifier) @name body: (_) @body) @type
(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))
(lambda_expression parameters: (_) @parameters body: (_) @result) @lambda

; Package and imports.
(package_declaration [(identifier) (scoped_identifier)] @package)
(import_declaration [(identifier) (scoped_identifier)] @import .)
(import_declaration [(identifier) (scoped_identifier)] @from (asterisk) @item)

; What names are bound to.
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @target)) @binding
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @target)) @binding
(record_declaration
  parameters: (formal_parameters
    (formal_parameter type: (_) @type name: (identifier) @target) @binding))
(local_variable_declaration
  type: (_) @type
  declarator: (variable_declarator name: (_) @target)) @binding
(variable_declarator name: (_) @target value: (object_creation_expression) @value) @binding
(variable_declarator name: (_) @target value: (method_invocation) @value) @binding
(enhanced_for_statement type: (_) @type name: (_) @target) @binding
(enhanced_for_statement name: (_) @target value: (_) @value) @loop
(resource type: (_) @type name: (_) @target) @binding
(catch_formal_parameter (catch_type) @type name: (_) @target) @binding
(instanceof_expression right: (_) @type name: (identifier) @target) @binding
(assignment_expression left: (_) @target right: (_) @value) @assign

; What is called and read.
(method_invocation arguments: (_) @arguments) @call
(object_creation_expression type: (_) @call arguments: (_) @arguments)
(method_reference (_) @read)
(class_literal (_) @read)
(cast_expression type: (_) @mention)
(annotation name: (_) @read)
(explicit_constructor_invocation
  constructor: [(super) (this)] @call arguments: (_) @arguments)

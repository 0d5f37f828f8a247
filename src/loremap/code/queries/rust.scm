; Definitions.
(function_item
  name: (identifier) @name
  parameters: (parameters) @parameters
  body: (block) @body) @function
(function_signature_item
  name: (identifier) @name
  parameters: (parameters) @parameters) @function
(function_item return_type: (_) @returns)
(function_signature_item return_type: (_) @returns)
(struct_item name: (type_identifier) @name body: (_)? @body) @type
(enum_item name: (type_identifier) @name body: (_) @body) @type
(union_item name: (type_identifier) @name body: (_) @body) @type
(trait_item name: (type_identifier) @name body: (_) @body) @type
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(impl_item type: (_) @name) @extension
(impl_item trait: (_) @base)
(trait_item bounds: (trait_bounds (_) @base))
(type_item type: (_) @base)
(macro_definition name: (identifier) @name) @function
(macro_definition) @macro
(closure_expression parameters: (closure_parameters) @parameters body: (_) @result) @lambda

(type_parameter
  name: (type_identifier) @target
  bounds: (trait_bounds (function_type) @type)) @binding
(where_predicate
  left: (type_identifier) @target
  bounds: (trait_bounds (function_type) @type)) @binding

; Modules and imports.
(mod_item name: (identifier) @import !body)
(mod_item name: (identifier) @namespace body: (_))
(mod_item
  name: (identifier) @within
  body: (declaration_list (mod_item name: (identifier) @import !body)))
(use_declaration argument: (_) @uses)

; What names are bound to.
(field_declaration name: (field_identifier) @target type: (_) @type) @binding
(static_item name: (identifier) @target type: (_) @type) @binding
(const_item name: (identifier) @target type: (_) @type) @binding
(let_declaration pattern: (identifier) @target type: (_) @type) @binding
(let_declaration pattern: (identifier) @target !type value: (_) @value) @binding
(let_declaration pattern: (tuple_pattern) @target !type value: (_) @value) @binding
(let_declaration
  pattern: (tuple_struct_pattern
    type: (_) . [(identifier) (mut_pattern) (ref_pattern) (tuple_pattern)] @target .)
  value: (_) @value) @binding
(let_condition
  pattern: (tuple_struct_pattern
    type: (_) . [(identifier) (mut_pattern) (ref_pattern) (tuple_pattern)] @target .)
  value: (_) @value) @binding
(match_expression
  value: (_) @value
  body: (match_block
    (match_arm
      pattern: (match_pattern
        (tuple_struct_pattern
          type: (_)
          .
          [(identifier) (mut_pattern) (ref_pattern) (tuple_pattern)] @target
          .))))) @binding
(for_expression
  pattern: [(identifier) (mut_pattern) (reference_pattern) (tuple_pattern)] @target
  value: (_) @value) @loop
(assignment_expression left: (_) @target right: (_) @value) @assign

; What is called and read.
(call_expression function: (_) @call arguments: (_) @arguments)
(struct_expression name: (_) @read)
(macro_invocation macro: (identifier) @call)
(field_initializer value: (identifier) @read)
(type_arguments (type_identifier) @read)

; Definitions.
(function_definition
  name: (identifier) @name
  parameters: (parameters) @parameters
  body: (block) @body) @function
(function_definition return_type: (type) @returns)
(class_definition
  name: (identifier) @name
  body: (block) @body) @class
(class_definition superclasses: (argument_list (_) @base))
(lambda parameters: (lambda_parameters)? @parameters body: (_) @result) @lambda
(decorated_definition (decorator (_) @decorator) definition: (_) @of)

; Imports.
(import_statement name: (dotted_name) @import)
(import_statement name: (aliased_import name: (dotted_name) @import alias: (identifier) @alias))
(import_from_statement
  module_name: (_) @from
  name: (dotted_name) @item)
(import_from_statement
  module_name: (_) @from
  name: (aliased_import name: (dotted_name) @item alias: (identifier) @alias))
(import_from_statement module_name: (_) @from (wildcard_import) @item)

; What names are bound to.
(assignment left: (_) @target right: (_) @value) @binding
(assignment left: (_) @target type: (type) @type) @binding
(named_expression name: (_) @target value: (_) @value) @binding
(for_statement left: (_) @target right: (_) @value) @loop
(for_in_clause left: (_) @target right: (_) @value) @loop
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (_) @target))) @with
(except_clause (as_pattern (_) @type alias: (as_pattern_target (_) @target))) @binding
(except_clause value: (as_pattern (_) @type alias: (as_pattern_target (_) @target))) @binding
(global_statement (identifier) @global)
(nonlocal_statement (identifier) @nonlocal)
(return_statement (_) @return)
(yield (_) @yield)

; What is called and read.
(call function: (_) @call arguments: (_) @arguments)
(raise_statement . [(identifier) (attribute)] @raise)
(list [(identifier) (attribute)] @read)
(tuple [(identifier) (attribute)] @read)
(set [(identifier) (attribute)] @read)
(pair value: [(identifier) (attribute)] @read)
(comparison_operator [(identifier) (attribute)] @read)
(binary_operator [(identifier) (attribute)] @read)
(boolean_operator [(identifier) (attribute)] @read)
(not_operator [(identifier) (attribute)] @read)
(if_statement condition: [(identifier) (attribute)] @read)
(elif_clause condition: [(identifier) (attribute)] @read)
(while_statement condition: [(identifier) (attribute)] @read)
(conditional_expression [(identifier) (attribute)] @read)
(subscript value: [(identifier) (attribute)] @read)
(subscript subscript: [(identifier) (attribute)] @read)
(except_clause (identifier) @read)
(except_clause (attribute) @read)
(interpolation expression: [(identifier) (attribute)] @read)
(type (_) @mention)

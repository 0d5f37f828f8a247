; Definitions.
(function_declaration
  [(user_type) (nullable_type)] @receiver
  . name: (identifier) @name
  (function_value_parameters) @parameters
  (function_body)? @body) @function
(function_declaration
  name: (identifier) @name
  (function_value_parameters) @parameters
  (function_body)? @body) @function
(function_declaration (function_value_parameters) . [(user_type) (nullable_type)] @returns)
(function_declaration (function_body . "=" . (_) @return))
(secondary_constructor
  "constructor" @name
  (function_value_parameters) @parameters) @method
(class_declaration "class" name: (identifier) @name (class_body)? @body) @class
(class_declaration "class" name: (identifier) @name (enum_class_body) @body) @class
(class_declaration "interface" name: (identifier) @name (class_body)? @body) @type
(object_declaration name: (identifier) @name (class_body)? @body) @class
(companion_object name: (identifier) @name (class_body)? @body) @class
(type_alias type: (identifier) @name) @type
(delegation_specifier (user_type) @base)
(delegation_specifier (constructor_invocation (user_type) @base))
(delegation_specifier (explicit_delegation . (user_type) @base))
(type_alias (user_type) @base)
(lambda_literal (lambda_parameters)? @parameters) @lambda
(anonymous_function (function_value_parameters) @parameters) @lambda

; Package and imports.
(package_header (qualified_identifier) @package)
(import (qualified_identifier) @import .)
(import (qualified_identifier) @import (identifier) @alias)
(import (qualified_identifier) @from "*" @item)

; What names are bound to.
(class_parameter (identifier) @target . (_) @type) @binding
(property_declaration
  (variable_declaration (identifier) @target . [(user_type) (nullable_type)] @type)) @binding
(property_declaration
  (variable_declaration (identifier) @target .) "=" (_) @value) @binding
(for_statement (variable_declaration (identifier) @target) "in" . (_) @value) @loop
(catch_block (identifier) @target . (_) @type) @binding
(assignment left: (_) @target right: (_) @value) @assign
(return_expression (_) @return)

; What is called and read.
(call_expression . (_) @call (value_arguments)? @arguments)
(call_expression . (_) @given (annotated_lambda (lambda_literal) @block))
(constructor_invocation (user_type) @call (value_arguments) @arguments)
(callable_reference (_) @read)
(as_expression right: (_) @mention)

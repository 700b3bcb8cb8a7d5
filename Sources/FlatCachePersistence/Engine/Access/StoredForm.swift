/// The conversion between values and their stored form.
struct StoredForm<Value: Sendable, Stored: Sendable>: Sendable {
    /// Returns the stored form of a value, or `nil` for a value that is stored by a removal.
    let encode: @Sendable (Value) throws -> Stored?
    let decode: @Sendable (Stored) throws -> Value
}

extension StoredForm {
    /// Creates the form of values that always have one.
    init<Form: Transformer>(_ form: Form) where Form.Input == Value, Form.Output == Stored {
        self.init(encode: form.transformValue, decode: form.untransformValue)
    }

    /// Creates the form of optional values; storing `nil` removes the stored value.
    init<Form: Transformer>(_ form: Form) where Value == Form.Input?, Form.Output == Stored {
        self.init(encode: { try $0.map(form.transformValue) }, decode: form.untransformValue)
    }
}

extension StoredForm where Stored == PropertyListValue {
    /// Creates the form of values that always have one, as values of a property list.
    init<Form: Transformer>(list form: Form)
    where Form.Input == Value, Form.Output: PropertyListRepresentable {
        self.init(form.append(PropertyListValueTransformer()))
    }

    /// Creates the form of optional values, as values of a property list.
    init<Form: Transformer>(list form: Form)
    where Value == Form.Input?, Form.Output: PropertyListRepresentable {
        self.init(form.append(PropertyListValueTransformer()))
    }
}

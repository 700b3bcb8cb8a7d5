import Foundation

/// A key of a storage, and the form in which the storage holds its value.
///
/// It hides the types of the storage and of the transformer.
struct PersistenceKey<Value: Sendable>: Sendable {
    let access: any ValueAccess<Value>
    /// Returns the name of the value in messages.
    let name: @Sendable () -> String

    private init<Base: Storage>(
        _ key: Base.Key,
        _ storage: Base,
        encode: @escaping @Sendable (Value) throws -> Base.Value?,
        decode: @escaping @Sendable (Base.Value) throws -> Value
    ) {
        let keyAccess = KeyAccess(storage, key)
        access = CodedKeyAccess(keyAccess, encode: encode, decode: decode)
        name = { [key = keyAccess.key] in "'\(key)' in \(storage)" }
    }

    /// Creates a key of values that always have a stored form.
    init<Base: Storage, Form: Transformer>(
        _ key: Base.Key,
        in storage: Base,
        as form: Form
    ) where Form.Input == Value, Form.Output == Base.Value {
        self.init(key, storage, encode: form.transformValue, decode: form.untransformValue)
    }

    /// Creates a key of optional values; storing `nil` removes the stored value.
    init<Base: Storage, Form: Transformer>(
        _ key: Base.Key,
        in storage: Base,
        as form: Form
    ) where Value == Form.Input?, Form.Output == Base.Value {
        self.init(
            key,
            storage,
            encode: { try $0.map(form.transformValue) },
            decode: form.untransformValue
        )
    }
}

// Keys of property-list values. If `storage` is `UserDefaults.standard`, the default in each
// initializer, `userDefaults` hold the value.
extension PersistenceKey {
    /// Creates a key of values that always have a stored form.
    init<Source: StorageConvertible, Form: Transformer>(
        _ key: String,
        _ userDefaults: UserDefaults,
        _ storage: Source,
        as form: Form
    )
    where
        Form.Input == Value, Form.Output: PropertyListRepresentable,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let form = form.append(PropertyListValueTransformer())
        if (storage as? UserDefaults) === UserDefaults.standard {
            self.init(key, in: userDefaults.makeStorage(), as: form)
        } else {
            Self.checkIsStandard(userDefaults)
            self.init(key, in: storage.makeStorage(), as: form)
        }
    }

    /// Creates a key of optional values; storing `nil` removes the stored value.
    init<Source: StorageConvertible, Form: Transformer>(
        _ key: String,
        _ userDefaults: UserDefaults,
        _ storage: Source,
        as form: Form
    )
    where
        Value == Form.Input?, Form.Output: PropertyListRepresentable,
        Source.ConvertedStorage: Storage<String, PropertyListValue>
    {
        let form = form.append(PropertyListValueTransformer())
        if (storage as? UserDefaults) === UserDefaults.standard {
            self.init(key, in: userDefaults.makeStorage(), as: form)
        } else {
            Self.checkIsStandard(userDefaults)
            self.init(key, in: storage.makeStorage(), as: form)
        }
    }

    private static func checkIsStandard(_ userDefaults: UserDefaults) {
        precondition(
            userDefaults === UserDefaults.standard,
            "A value has one storage. Pass either 'userDefaults:' or 'storedBy:', not both."
        )
    }
}

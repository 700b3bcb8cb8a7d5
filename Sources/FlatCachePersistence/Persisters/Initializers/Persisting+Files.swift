public import Foundation

extension Persisting {
    /// Creates a persister, or a property, for the data in a file.
    ///
    /// ```swift
    /// let note = Persister(file: folder.appendingPathComponent("note.txt"), defaultValue: Data())
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the evaluation of the default.
    ///
    /// - Parameters:
    ///   - file: The file's URL.
    ///   - defaultValue: The value that reads return while no value is stored or the stored value
    ///     can't be read. It's evaluated at most once, when it's first needed. It may store a value
    ///     under the same key, but must not read or remove the value.
    ///   - behaviour: The occasions on which the default is stored.
    ///   - errorHandler: The handler of errors that no call can throw. If it's `nil`,
    ///     ``PersistenceError/defaultHandler`` receives them.
    public init(
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data {
        let key = PersistenceKey<Value>(file, in: FileStorage(), as: IdentityTransformer())
        self.init(key, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for a value in a file that a transformer converts.
    ///
    /// ```swift
    /// let draft = Persister(
    ///     file: draftFile,
    ///     transformer: JSONTransformer<Order>(),
    ///     defaultValue: Order()
    /// )
    /// ```
    ///
    /// The parameter `transformer` converts between the value and the file's contents. The other
    /// parameters are those of
    /// ``init(file:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Form: Transformer>(
        file: URL,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Data {
        let key = PersistenceKey<Value>(file, in: FileStorage(), as: transformer)
        self.init(key, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for the data in a file that may be missing.
    ///
    /// ```swift
    /// let note = Persister<Data?>(file: folder.appendingPathComponent("note.txt"))
    /// ```
    ///
    /// `wrappedValue` is the value after `=` in a property declaration; for a ``Persister``, pass
    /// `defaultValue` instead. If both are given, `defaultValue` applies only if `wrappedValue` is
    /// `nil`. Storing `nil` removes the stored value. The other parameters are those of
    /// ``init(file:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data? {
        let key = PersistenceKey<Value>(file, in: FileStorage(), as: IdentityTransformer())
        self.init(key, { wrappedValue() ?? defaultValue() }, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in a file that a transformer
    /// converts.
    ///
    /// ```swift
    /// @Persisted(file: draftFile, transformer: JSONTransformer()) var draft: Order?
    /// ```
    ///
    /// The parameter `transformer` converts between a non-`nil` value and the file's contents.
    /// `wrappedValue` is the value after `=` in a property declaration; for a ``Persister``, pass
    /// `defaultValue` instead. If both are given, `defaultValue` applies only if `wrappedValue` is
    /// `nil`. Storing `nil` removes the stored value. The other parameters are those of
    /// ``init(file:defaultValue:defaultValuePersistBehaviour:onError:)``.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: URL,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Data {
        let key = PersistenceKey<Value>(file, in: FileStorage(), as: transformer)
        self.init(key, { wrappedValue() ?? defaultValue() }, behaviour, errorHandler)
    }
}

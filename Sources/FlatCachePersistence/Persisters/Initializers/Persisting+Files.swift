public import Foundation

extension Persisting {
    /// Creates a persister, or a property, for the data in a file.
    ///
    /// ```swift
    /// let note = Persister(file: folder.appendingPathComponent("note.txt"), defaultValue: Data())
    /// ```
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - file: The URL of the file. If it isn't a file URL, reads and writes fail.
    ///   - defaultValue: The value that reads return if no value is stored, or if the stored value
    ///     can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init(
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data {
        let form = StoredForm<Value, _>(IdentityTransformer())
        self.init(file, in: FileStorage(), as: form, defaultValue, behaviour, errorHandler)
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
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - file: The URL of the file. If it isn't a file URL, reads and writes fail.
    ///   - transformer: The conversion between the value and the contents of the file.
    ///   - defaultValue: The value that reads return if no value is stored, or if the stored value
    ///     can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        file: URL,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Value, Form.Output == Data {
        let form = StoredForm<Value, _>(transformer)
        self.init(file, in: FileStorage(), as: form, defaultValue, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for optional data in a file.
    ///
    /// ```swift
    /// let note = Persister<Data?>(file: folder.appendingPathComponent("note.txt"))
    /// ```
    ///
    /// Storing `nil` removes the file.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default of a property, written after `=`. For a ``Persister``, pass
    ///     `defaultValue`.
    ///   - file: The URL of the file. If it isn't a file URL, reads and writes fail.
    ///   - defaultValue: The default if `wrappedValue` is `nil`. Reads return it if no value is
    ///     stored, or if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Data? {
        let form = StoredForm<Value, _>(IdentityTransformer())
        let initial = { @Sendable in wrappedValue() ?? defaultValue() }
        self.init(file, in: FileStorage(), as: form, initial, behaviour, errorHandler)
    }

    /// Creates a persister, or a property, for an optional value in a file that a transformer
    /// converts.
    ///
    /// ```swift
    /// @Persisted(file: draftFile, transformer: JSONTransformer()) var draft: Order?
    /// ```
    ///
    /// Storing `nil` removes the file.
    ///
    /// ## Concurrency
    /// See ``Persisting`` for the default, and ``PersistenceErrorHandler`` for the error handler.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default of a property, written after `=`. For a ``Persister``, pass
    ///     `defaultValue`.
    ///   - file: The URL of the file. If it isn't a file URL, reads and writes fail.
    ///   - transformer: The conversion between a non-`nil` value and the contents of the file.
    ///   - defaultValue: The default if `wrappedValue` is `nil`. Reads return it if no value is
    ///     stored, or if the stored value can't be read or decoded. It's evaluated at most once.
    ///   - behaviour: The cases in which a read stores the default; by default, none.
    ///   - errorHandler: A closure that receives the errors of calls that don't throw. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public init<Form: Transformer>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value = nil,
        file: URL,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Value = nil,
        defaultValuePersistBehaviour behaviour: DefaultValuePersistBehaviour = [],
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Value == Form.Input?, Form.Output == Data {
        let form = StoredForm<Value, _>(transformer)
        let initial = { @Sendable in wrappedValue() ?? defaultValue() }
        self.init(file, in: FileStorage(), as: form, initial, behaviour, errorHandler)
    }
}

public import Foundation

// An object is made for a place and a transformer. For places that are often used there are
// initializers of their own, each for any transformer, and for `Codable` objects with JSON.

extension PersistentObject {
    /// Creates a persistent object in a repository, and loads it.
    ///
    /// - Parameters:
    ///   - repository: Where its data is stored.
    ///   - transformer: Turns it into data.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init<Form: Transformer>(
        repository: some ObjectRepository,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        let placed = repository as? any PlacedRepository
        self.init(
            placed?.makePlace() ?? SlotPlace(repository),
            ObjectCoding(transformer),
            "the persistent object in \(repository)",
            defaultValue,
            conflictRule,
            errorHandler
        )
    }

    /// Creates a persistent object in a file of the folder for this program's objects, and loads
    /// it.
    ///
    /// - Parameters:
    ///   - filename: The file's name in ``FileRepository/objectFolder``, which is in
    ///     `~/.local/share` on Linux, and in Application Support on Apple's systems.
    ///   - transformer: Turns the object into data.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init<Form: Transformer>(
        filename: String,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        self.init(
            repository: FileRepository(filename: filename),
            transformer: transformer,
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }

    /// Creates a persistent object in a file, and loads it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - transformer: Turns the object into data.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init<Form: Transformer>(
        file: URL,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        self.init(
            repository: FileRepository(file: file),
            transformer: transformer,
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}

// MARK: Codable objects

extension PersistentObject where Object: Codable {
    /// Creates a persistent object in a repository, as JSON, and loads it.
    ///
    /// - Parameters:
    ///   - repository: Where its data is stored.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init(
        repository: some ObjectRepository,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            repository: repository,
            transformer: JSONTransformer(),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }

    /// Creates a persistent object in a file of the folder for this program's objects, as JSON, and
    /// loads it.
    ///
    /// - Parameters:
    ///   - filename: The file's name in ``FileRepository/objectFolder``, which is in
    ///     `~/.local/share` on Linux, and in Application Support on Apple's systems.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init(
        filename: String,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            filename: filename,
            transformer: JSONTransformer(),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }

    /// Creates a persistent object in a file, as JSON, and loads it.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - defaultValue: What is read while there is none; evaluated when it is first needed, at
    ///     most once. It is not stored unless it is changed.
    ///   - conflictRule: What a save does when somebody else has changed what is stored.
    ///   - errorHandler: Gets errors that nobody can be thrown to; if it is `nil`,
    ///     ``PersistenceError/defaultHandler`` does.
    public convenience init(
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            file: file,
            transformer: JSONTransformer(),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}

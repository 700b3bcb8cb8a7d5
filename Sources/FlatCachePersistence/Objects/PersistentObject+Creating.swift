public import Foundation

// Each object has a repository and a transformer. Common repositories have their own initializers,
// each in two forms: for any transformer, and for `Codable` objects with JSON.

extension PersistentObject {
    /// Creates a persistent object in a repository, and loads it.
    ///
    /// ```swift
    /// let draft = PersistentObject(
    ///     repository: FileRepository(file: draftFile, durability: .durable),
    ///     transformer: PropertyListTransformer<Order>()
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - repository: The repository that stores the object's data.
    ///   - transformer: The transformer that converts the object to data.
    ///   - defaultValue: The object to use while nothing is stored. It's evaluated at most once,
    ///     when it's first needed, and isn't stored unless it's changed.
    ///   - conflictRule: The rule that resolves a conflict between unsaved changes and an external
    ///     change.
    ///   - errorHandler: A closure that receives the errors of loads and automatic saves. If it's
    ///     `nil`, ``PersistenceError/defaultHandler`` receives them.
    public convenience init<Form: Transformer>(
        repository: some ObjectRepository,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        let storageBacked = repository as? any StorageBackedRepository
        self.init(
            storageBacked?.makeAccess() ?? RepositoryStorage(repository).access,
            ObjectCoding(transformer),
            "the persistent object in \(repository)",
            defaultValue,
            conflictRule,
            errorHandler,
            synchronize: repository.synchronize
        )
    }

    /// Creates a persistent object in a file of the program's object folder, and loads it.
    ///
    /// ```swift
    /// let draft = PersistentObject(
    ///     filename: "draft.plist",
    ///     transformer: PropertyListTransformer<Order>()
    /// )
    /// ```
    ///
    /// The parameter `filename` is the file's name in ``FileRepository/objectFolder``. This folder
    /// is in `~/.local/share` on Linux and in Application Support on Apple's systems. The other
    /// parameters are those of ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
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
    /// ```swift
    /// let draft = PersistentObject(
    ///     file: folder.appendingPathComponent("draft.plist"),
    ///     transformer: PropertyListTransformer<Order>()
    /// )
    /// ```
    ///
    /// The parameter `file` is the URL of the file. The other parameters are those of
    /// ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
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
    /// ```swift
    /// let draft = PersistentObject<Order>(
    ///     repository: FileRepository(file: draftFile, durability: .durable)
    /// )
    /// ```
    ///
    /// The parameters are those of
    /// ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
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

    /// Creates a persistent object in a file of the program's object folder, as JSON, and loads it.
    ///
    /// ```swift
    /// let draft = PersistentObject(filename: "draft.json", defaultValue: Order())
    /// ```
    ///
    /// The parameters are those of
    /// ``init(filename:transformer:defaultValue:conflictRule:onError:)``.
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
    /// ```swift
    /// let draft = PersistentObject(file: draftFile, defaultValue: Order())
    /// ```
    ///
    /// The parameters are those of
    /// ``init(file:transformer:defaultValue:conflictRule:onError:)``.
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

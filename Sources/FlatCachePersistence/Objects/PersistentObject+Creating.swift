public import Foundation

// Each object has a repository and a transformer. Codable objects have initializers for the common
// repositories, with JSON.

extension PersistentObject {
    /// Creates a persistent object in a repository, and loads it.
    ///
    /// ```swift
    /// let draft = PersistentObject(
    ///     repository: FileRepository(filename: "draft.plist"),
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
    public convenience init<Base: Storage, Form: Transformer>(
        repository: StorageRepository<Base>,
        transformer: Form,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) where Form.Input == Object, Form.Output == Data {
        let storage = repository.storage
        self.init(
            KeyAccess(storage, repository.key, as: repository.form),
            StoredForm(transformer),
            defaultValue,
            conflictRule,
            errorHandler
        ) {
            try (storage as? any RemoteStorage<Base.Key, Base.Value>)?.synchronize()
        }
    }
}

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
    public convenience init<Base: Storage>(
        repository: StorageRepository<Base>,
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
    /// The parameter `filename` is the file's name in ``StorageRepository/objectFolder``. That
    /// folder is in `~/.local/share` on Linux and in Application Support on Apple's systems. The
    /// other parameters are those of
    /// ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
    public convenience init(
        filename: String,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            repository: FileRepository(filename: filename),
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
    /// The parameter `file` is the URL of the file. The other parameters are those of
    /// ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
    public convenience init(
        file: URL,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            repository: FileRepository(file: file),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }

    /// Creates a persistent object under a key of user defaults, as JSON, and loads it.
    ///
    /// ```swift
    /// let draft = PersistentObject(userDefaultsKey: "draft", defaultValue: Order())
    /// ```
    ///
    /// The parameter `userDefaultsKey` is the key. It may have dots. The other parameters are those
    /// of ``init(repository:transformer:defaultValue:conflictRule:onError:)``.
    public convenience init(
        userDefaultsKey: String,
        userDefaults: UserDefaults = .standard,
        defaultValue: @autoclosure @escaping @Sendable () -> Object? = nil,
        conflictRule: ConflictRule = .automatic,
        onError errorHandler: PersistenceErrorHandler? = nil
    ) {
        self.init(
            repository: UserDefaultsRepository(key: userDefaultsKey, userDefaults: userDefaults),
            defaultValue: defaultValue(),
            conflictRule: conflictRule,
            onError: errorHandler
        )
    }
}

public import Foundation

/// The key of a storage that holds the data of a ``PersistentObject``.
///
/// ```swift
/// let storage = InMemoryStorage<String, Data>()
/// let repository = StorageRepository(key: "draft", storedBy: storage)
/// let draft = PersistentObject<Order>(repository: repository)
/// ```
///
/// ``FileRepository`` and ``UserDefaultsRepository`` are other names for it, with initializers for
/// their storages.
public struct StorageRepository<Base: Storage>: Sendable {
    /// The storage.
    public let storage: Base

    /// The key.
    public let key: Base.Key

    let form: StoredForm<ObjectContent, Base.Value>

    /// Creates a repository in a storage of data.
    ///
    /// - Parameters:
    ///   - key: The key of the data.
    ///   - storage: The storage.
    public init(key: Base.Key, storedBy storage: Base) where Base.Value == Data {
        self.storage = storage
        self.key = key
        form = StoredForm(encode: \.data, decode: { .data($0) })
    }

    /// Creates a repository in a storage of property-list values.
    ///
    /// - Parameters:
    ///   - key: The key of the data.
    ///   - storage: The storage.
    public init(key: Base.Key, storedBy storage: Base) where Base.Value == PropertyListValue {
        self.storage = storage
        self.key = key
        form = StoredForm(
            encode: { content in content.data.map { .data($0) } },
            decode: { if case .data(let data) = $0 { .data(data) } else { .foreign($0) } }
        )
    }
}

extension StorageRepository: CustomStringConvertible {
    /// The repository's name in messages.
    public var description: String { "'\(PersistenceError.name(of: key))' in \(storage)" }
}

// MARK: The repositories of each storage

/// The key of a storage that holds the data of a ``PersistentObject`` in a file.
///
/// ```swift
/// let draft = PersistentObject<Order>(
///     repository: FileRepository(file: draftFile, durability: .durable)
/// )
/// ```
public typealias FileRepository = StorageRepository<FileStorage>

extension StorageRepository<FileStorage> {
    /// Creates a repository in a file that need not exist yet.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - durability: The durability of the file's contents after a write.
    public init(file: URL, durability: FileDurability = .synchronized) {
        self.init(key: file, storedBy: FileStorage(durability: durability))
    }

    /// Creates a repository in a file of the program's object folder.
    ///
    /// For example, `Drafts/order.json` is a file in the folder `Drafts` of the object folder.
    ///
    /// - Parameters:
    ///   - filename: The file's name, or its relative path in ``objectFolder``. It must not be
    ///     empty or contain empty components, "." or "..".
    ///   - durability: The durability of the file's contents after a write.
    public init(filename: String, durability: FileDurability = .synchronized) {
        self.init(
            file: ObjectFolder.file(named: filename, in: Self.objectFolder),
            durability: durability
        )
    }

    /// The folder for this program's objects.
    ///
    /// The folder's name is the bundle's identifier or, without one, the name of the process. It
    /// lies in the Application Support folder on Apple's systems, and elsewhere in `$XDG_DATA_HOME`
    /// or, if that isn't set to an absolute path, in `$HOME/.local/share`. The first save creates
    /// the folder.
    public static var objectFolder: URL { ObjectFolder.current }
}

/// The key of a storage that holds the data of a ``PersistentObject`` under a key of user defaults.
///
/// ```swift
/// let draft = PersistentObject<Order>(repository: UserDefaultsRepository(key: "draft"))
/// ```
public typealias UserDefaultsRepository = StorageRepository<UserDefaultsStorage>

extension StorageRepository<UserDefaultsStorage> {
    /// Creates a repository in user defaults.
    ///
    /// - Parameters:
    ///   - key: The key. It may have dots.
    ///   - userDefaults: The user defaults.
    public init(key: String, userDefaults: UserDefaults = .standard) {
        self.init(key: key, storedBy: UserDefaultsStorage(userDefaults))
    }
}

/// The folder of the persistent objects that are created with a filename.
enum ObjectFolder {
    static var current: URL {
        let application = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        #if canImport(Darwin)
        return URL.applicationSupportDirectory.appendingPathComponent(application)
        #else
        return folder(
            of: application,
            environment: ProcessInfo.processInfo.environment,
            home: NSHomeDirectory()
        )
        #endif
    }

    /// Returns the folder that the XDG Base Directory Specification prescribes.
    ///
    /// - Parameters:
    ///   - application: The name of the application's own folder.
    ///   - environment: The environment variables. Relative paths are ignored.
    ///   - home: The user's home folder. It applies if the environment has no `HOME`.
    static func folder(of application: String, environment: [String: String], home: String) -> URL {
        func path(_ name: String) -> String? {
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let base = path("XDG_DATA_HOME") ?? "\(path("HOME") ?? home)/.local/share"
        return URL(fileURLWithPath: base, isDirectory: true).appendingPathComponent(application)
    }

    static func file(named name: String, in folder: URL) -> URL {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) else {
            preconditionFailure(
                """
                A persistent object was given the filename '\(name)', which is not the name of a \
                file in the folder for objects. Give the URL of a file elsewhere as `file:`.
                """
            )
        }
        return folder.appendingPathComponent(name, isDirectory: false)
    }
}

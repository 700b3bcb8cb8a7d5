import Foundation

/// The state of a persistent object.
///
/// The object holds the state's lock only for short accesses. It changes the state only while it
/// also holds the lock of its key.
struct ObjectState<Object: Sendable>: Sendable {
    /// The object in memory, or `nil` if there is none and readers get the default.
    var object: Object?
    /// The content that was stored when the object was last loaded or saved, or `nil` if no read
    /// has succeeded.
    var base: ObjectContent?
    /// The encoded form of the object, or of the default if there is no object, when it was last
    /// loaded, saved or evaluated, if it may change in place.
    var fingerprint: ObjectContent?
    /// The version of the stored content that this state reflects, or zero if there is none.
    var version = 0
    /// The error of decoding `base`, if `base` is corrupt.
    var problem: PersistenceError?
    /// `true` if the object in memory has unsaved changes.
    var isDirty = false
    /// `true` if the next save replaces the stored content without asking the conflict rule.
    var replaces = false
    /// The versions that this object has written and whose notifications haven't arrived.
    var ownVersions: Set<Int> = []

    /// Records that the object in memory matches the stored content.
    mutating func recordStored(
        _ content: ObjectContent,
        _ fingerprint: ObjectContent?,
        version: Int
    ) {
        base = content
        // If the two are equal, they share one copy of the bytes.
        self.fingerprint = fingerprint == content ? content : fingerprint
        self.version = version
        problem = nil
        isDirty = false
        replaces = false
    }
}

/// The stored content of a persistent object.
enum ObjectContent: Equatable, Sendable {
    case absent
    case data(Data)
    /// A value that isn't data, so no object was stored as it.
    case foreign(PropertyListValue)

    var data: Data? {
        if case .data(let data) = self { data } else { nil }
    }

    static func mismatch(_ value: PropertyListValue) -> PropertyListError {
        PropertyListError(.mismatch(expected: "data", found: value.kind))
    }
}

extension StoredForm where Stored == Data {
    func content(of object: Value?) throws -> ObjectContent {
        try object.flatMap(encode).map { .data($0) } ?? .absent
    }

    func object(from content: ObjectContent) throws -> Value? {
        switch content {
        case .absent: nil
        case .data(let data): try decode(data)
        case .foreign(let value): throw ObjectContent.mismatch(value)
        }
    }
}

extension Persister<ObjectContent> {
    /// The version of the content.
    ///
    /// Unless the storage announces every change, the content is first compared with the stored
    /// one.
    var latestVersion: Int {
        // A comparison that fails changes nothing.
        if !isAnnounced { try? access.refresh() }
        return version.current
    }

    /// Returns the content that all readers in this process share, and its version.
    func load() throws(PersistenceError) -> (content: ObjectContent, version: Int) {
        let (content, version) = try access.load()
        return (try value(of: content) ?? .absent, version)
    }

    /// Returns the content that the storage holds now.
    ///
    /// If it differs from the shared content, other listeners are notified.
    func reload() throws(PersistenceError) -> ObjectContent {
        try value(of: access.reload()) ?? .absent
    }
}

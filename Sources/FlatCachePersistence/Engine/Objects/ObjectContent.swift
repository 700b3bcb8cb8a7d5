import Foundation

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

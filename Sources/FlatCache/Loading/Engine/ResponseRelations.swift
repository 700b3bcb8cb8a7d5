import Synchronization

/// The responses by the entities that they contain.
///
/// If an entity is evicted, the responses that contain it are evicted with it: a response without
/// its entities shows nothing. A plain value that the writers' lock guards.
struct ResponseRelations {
    private var names: [CacheKey: Set<String>] = [:]
    private var keys: [String: [CacheKey]] = [:]

    var isEmpty: Bool { names.isEmpty }

    /// Returns the names of the requests whose responses contain an entity.
    func names(containing key: CacheKey) -> Set<String> { names[key] ?? [] }

    /// Sets the entities that the response of a request contains.
    ///
    /// - Complexity: O(*n*) in the number of the entities before and after.
    mutating func set(_ keys: [CacheKey], of name: String) {
        for key in self.keys[name] ?? [] {
            names[key]?.remove(name)
            if names[key]?.isEmpty ?? false { names[key] = nil }
        }
        self.keys[name] = keys.isEmpty ? nil : keys
        for key in keys { names[key, default: []].insert(name) }
    }
}

// Everything here is called under the writers' lock.
extension CacheCore {
    /// Records the entities of the responses that the open transaction has stored or removed.
    func recordResponses() {
        guard let table = writtenRequests else { return }
        table.resolvePending()
        for entry in table.pending {
            let entry = table[entry]
            let keys = entry.pointee.value?.relatedKeys ?? []
            writer.responses.set(keys, of: entry.pointee.id)
        }
    }
}

extension Writer {
    /// Lists the responses that contain an entity as orphans, since the entity is evicted.
    @usableFromInline
    func recordEviction(of key: @autoclosure () -> CacheKey, for reason: RemovalReason) {
        if responses.isEmpty { return }
        for name in responses.names(containing: key()) {
            orphans.append((CacheKey(RequestState.self, id: name), reason))
        }
    }
}

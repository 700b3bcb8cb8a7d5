@testable import FlatCache
@testable import FlatCacheTestSupport

/// The state that an archive must have after a flush: each entity that was stored and not removed
/// explicitly, whether or not memory still holds it.
struct NaiveArchive: Equatable {
    struct Row: Equatable {
        var value: Profile
        var storedAt: Int
        var isInvalidated = false
    }

    /// The changes to an entity that the archive doesn't have yet.
    struct Unwritten {
        /// `true` if the entity was stored or removed.
        var isListed = false
        /// `true` if the entity was replaced or removed.
        var isOverwritten = false
        var isInvalidated = false
        /// The value in memory.
        ///
        /// It may lack parts of the row that it's merged with before a flush.
        var value: Profile?
    }

    /// The seconds after which a value is stale, or `nil` if it isn't by itself.
    let lifetime: Int?
    private(set) var rows: [Int: Row] = [:]
    var now = 0

    init(lifetime: Int?) { self.lifetime = lifetime }

    func isStale(_ id: Int) -> Bool {
        guard let row = rows[id] else { return false }
        return row.isInvalidated || lifetime.map { now - row.storedAt >= $0 } ?? false
    }

    var staleIDs: Set<Int> { Set(rows.keys.filter(isStale)) }

    private mutating func store(_ value: Profile) {
        rows[value.id] = Row(value: value, storedAt: now)
    }

    /// Performs a write.
    ///
    /// - Parameters:
    ///   - stored: The identifiers of the entities that memory holds.
    ///   - unwritten: The unwritten changes to an imported entity. They win over the import.
    mutating func perform(
        _ operation: ArchiveOperation,
        stored: Set<Int>,
        unwritten: Unwritten = Unwritten()
    ) {
        switch operation {
        case .set(let profile):
            store(rows[profile.id]?.value.merged(with: profile) ?? profile)
        case .replace(let profile): store(profile)
        case .importValue(let profile):
            if !unwritten.isListed {
                store(profile)
                rows[profile.id]?.isInvalidated = unwritten.isInvalidated
            } else if !unwritten.isOverwritten, let value = unwritten.value {
                rows[profile.id]?.value = profile.merged(with: value)
            }
        case .update(let id, let name):
            guard stored.contains(id), var value = rows[id]?.value else { return }
            value.name = name
            store(value)
        case .remove(let id): rows[id] = nil
        case .importRemoval(let id):
            if !unwritten.isListed {
                rows[id] = nil
            } else if let value = unwritten.value {
                rows[id]?.value = value
            }
        case .removeAll, .removeEverything: rows = [:]
        case .invalidate(let id): rows[id]?.isInvalidated = true
        case .invalidateAll: for id in rows.keys { rows[id]?.isInvalidated = true }
        case .advance(let seconds): now += seconds
        case .renewAll: for id in stored { rows[id].map { store($0.value) } }
        case .batch, .observe, .prune, .trim, .flush, .restore: break
        }
    }
}

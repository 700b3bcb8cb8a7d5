@testable import FlatCacheTestSupport

extension NaiveCache {
    func withSnapshot(_ body: () throws -> Void) throws {
        snapshots.append((version, committed))
        defer { snapshots.removeLast() }
        try body()
    }

    func dropHandles() {}

    var watchedCount: Int { reachedKeys(in: committed).count }

    func checkInvariants() {}

    func handleValues() -> [ModelKey: ModelRecord] { committed }

    func listings() -> [ModelListing] { listings(of: committed) }

    func batchListings() -> [ModelListing]? {
        levels.contains(where: \.isBatch) ? listings(of: current) : nil
    }

    func snapshotStates() -> [(version: UInt64, listings: [ModelListing])] {
        snapshots.map { ($0.version, listings(of: $0.contents)) }
    }

    private func listings(of contents: Contents) -> [ModelListing] {
        ModelKey.Kind.allCases.map { kind in
            let found = contents.filter { $0.key.kind == kind }
            return ModelListing(
                kind: kind,
                count: found.count,
                ids: Set(found.keys),
                values: found,
                found: found
            )
        }
    }
}

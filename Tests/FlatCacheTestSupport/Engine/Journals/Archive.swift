import TestSupport

@testable import FlatCache

/// A participant that keeps the values of a type in a dictionary.
final class Archive<Value: Identifiable & Sendable>: CommitRecorder where Value.ID: Sendable {
    struct Row: Sendable {
        var value: Value
        var freshness = StoredFreshness()
        var stamp: (any Comparable & Sendable)?
        /// The time at which `freshness` was determined.
        var time = CacheInstant(.start)

        func freshness(at now: CacheInstant) -> StoredFreshness {
            let elapsed = time.duration(to: now)
            return StoredFreshness(
                age: freshness.age.map { $0 + elapsed },
                staleFor: freshness.staleFor.map { $0 + elapsed }
            )
        }
    }

    let rows = Locked<[Value.ID: Row]>([:])
    let origins = Recorder<String>()
    /// The numbers of the journal's signals.
    let signals = Recorder<Int>()
    private let attachment = Locked<Attachment?>(nil)

    private struct Attachment {
        let access: CacheAccess
        let journal: ChangeJournal<Value>
        let tokens: [Disposable]
    }

    init(_ values: [Value] = []) {
        rows.withLock { for value in values { $0[value.id] = Row(value: value) } }
    }

    var access: CacheAccess { attached.access }
    var journal: ChangeJournal<Value> { attached.journal }

    private var attached: Attachment {
        guard let attachment = attachment.withLock({ $0 }) else {
            preconditionFailure("Attach the archive to a cache first.")
        }
        return attachment
    }

    func attach(to cache: Cache) {
        let access = CacheAccess(self, to: cache)
        let journal = ChangeJournal(of: Value.self, in: access) { [signals] in signals.append(1) }
        let tokens = [cache.add(self), access.add(journal)]
        attachment.withLock {
            $0 = Attachment(access: access, journal: journal, tokens: tokens)
        }
    }

    func detach() {
        let former = attachment.withLock { $0.take() }
        for token in former?.tokens ?? [] { token.dispose() }
    }

    /// Writes the changes of the journal into the rows.
    ///
    /// - Parameters:
    ///   - confirms: If `false`, the changes are left unconfirmed.
    ///   - meanwhile: A closure to call before the snapshot is read.
    func flush(confirms: Bool = true, meanwhile: () -> Void = {}) {
        if !access.isClosed { mergeInserted() }
        let journal = journal
        access.withSnapshot(taking: [journal]) { snapshot in
            meanwhile()
            write(snapshot)
        }
        if confirms { access.confirm([journal]) }
    }

    /// Merges the rows of inserted entities beneath their values.
    private func mergeInserted() {
        let inserted = journal.takeInserted()
        let rows = rows.withLock { $0 }
        access.write(.restoring) { transaction in
            for id in inserted {
                guard let row = rows[id] else { continue }
                transaction.mergeBeneath(row.value, stamp: row.stamp)
            }
        }
    }

    private func write(_ snapshot: CacheSnapshot) {
        guard let changes = journal.taken else { return }
        let now = access.now
        rows.withLock { rows in
            if changes.removesAll { rows = [:] }
            for id in changes.removed { rows[id] = nil }
            for (id, row) in rows where changes.isInvalidated(id) {
                rows[id]?.freshness = row.freshness(at: now)
                rows[id]?.time = now
                if row.freshness.staleFor == nil { rows[id]?.freshness.staleFor = .zero }
            }
            snapshot.forEachStored(changes.stored) { (value: Value, freshness) in
                rows[value.id] = Row(
                    value: value,
                    freshness: freshness,
                    stamp: changes.stamps[value.id],
                    time: now
                )
            }
        }
    }

    /// Restores the rows of some entities, or of all.
    func restore(_ ids: [Value.ID]? = nil) {
        let rows = rows.withLock { $0 }
        let now = access.now
        access.write(.restoring) { transaction in
            for id in ids ?? Array(rows.keys) {
                guard let row = rows[id] else { continue }
                transaction.insert(row.value, row.freshness(at: now), stamp: row.stamp)
            }
        }
    }

    func record(_ commit: inout Commit) {
        let isOwn = commit.core.writer.author == ObjectIdentifier(self)
        origins.append(isOwn ? "archive" : "\(commit.origin)")
    }

    func end() { flush() }
}

extension Archive {
    var values: [Value.ID: Value] { rows.withLock { $0.mapValues(\.value) } }
}

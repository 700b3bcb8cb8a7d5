@testable import FlatCacheTestSupport

/// The commits of a round, reconstructed from the calls of observers of all entities.
struct StressWitnesses {
    private var commits: [UInt64: [StressEntity.ID: StressEntity?]] = [:]
    private var versionsOfStored: [Int: UInt64] = [:]
    private var versionsOfRemoved: [Int: UInt64] = [:]

    /// Collects the changes that the observers received, and checks that each follows from the one
    /// before.
    init(_ witnesses: [StressObservation], _ problems: inout [String]) {
        for witness in witnesses {
            let events = witness.record.calls.map(\.event)
            problems += StressHistory(events: events, startsEmpty: true).problems
            for event in events {
                commits[event.version, default: [:]][witness.id] = .some(event.new)
                if let new = event.new {
                    versionsOfStored[new.stamp] = event.version
                } else if let old = event.old {
                    versionsOfRemoved[old.stamp] = event.version
                }
            }
        }
    }

    /// Returns the commits in order, and checks that commits and writes correspond one to one.
    func commits(after submissions: [StressSubmission], _ problems: inout [String])
        -> [StressCommit]
    {
        var unexplained = commits.mapValues(\.count)
        for submission in submissions {
            let versions =
                submission.stored.map { versionsOfStored[$0] }
                + submission.removed.map { versionsOfRemoved[$0] }
            guard let first = versions.first else { continue }
            guard let version = first, submission.mayBe(version), Set(versions).count == 1 else {
                problems.append("\(submission) was committed in \(versions).")
                continue
            }
            unexplained[version, default: 0] -= versions.count
        }
        // The remaining commits are calls of `removeAll`. They are matched in the order in which
        // they ended.
        let clearings = submissions.filter { $0.removedCount > 0 }.sorted { $0.after < $1.after }
        for clearing in clearings {
            let version = unexplained.filter { version, count in
                clearing.mayBe(version) && count == clearing.removedCount
            }.keys.min()
            if let version {
                unexplained[version] = 0
            } else {
                problems.append("\(clearing) was not committed.")
            }
        }
        for (version, count) in unexplained where count != 0 {
            problems.append("No write explains \(count) of the values of version \(version).")
        }
        return commits.keys.sorted().map { version in
            StressCommit(version: version, changes: commits[version] ?? [:])
        }
    }
}

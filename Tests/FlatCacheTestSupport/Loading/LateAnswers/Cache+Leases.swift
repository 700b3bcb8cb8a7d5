@testable import FlatCache

extension Cache {
    /// Makes the cache record writes from now on, as if a load was running that never ends.
    func beginEndlessLease() {
        core.withWriterLock("a test") { writer in
            writer.hasLeases = true
            _ = writer.leases.begin()
        }
    }

    /// A Boolean value that indicates whether writes are recorded for running loads.
    var hasLeases: Bool { core.withWriterLock("a test") { $0.hasLeases } }

    /// The number of loads for which writes are recorded.
    var leaseCount: Int {
        core.withWriterLock("a test") { writer in
            guard writer.hasLeases else { return 0 }
            return (1...writer.leases.lastNumber).count { writer.leases.contains($0) }
        }
    }

    /// A Boolean value that indicates whether no load left anything behind.
    var hasForgottenLoads: Bool {
        core.withWriterLock("a test") { writer in
            !writer.hasLeases && writer.leases.isEmpty && writer.leases.lastRemovalOfAll == 0
                && core.tables.allTables.allSatisfy { !$0.hasWriteLog }
        } && core.loads.isIdle && core.pageLoads.isIdle
    }
}

extension AnyTable {
    fileprivate var hasWriteLog: Bool { (self as? any LoggingTable)?.isWriteLogEmpty == false }
}

private protocol LoggingTable {
    var isWriteLogEmpty: Bool { get }
}

extension Table: LoggingTable {
    fileprivate var isWriteLogEmpty: Bool { writeLog.isEmpty }
}

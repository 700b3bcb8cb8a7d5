import Dispatch
package import FlatCache
import Foundation

/// The file in which a node logs its transactions and what its cache shows.
///
/// A line is written at once, so that the log of a killed process is complete. The lines:
///
/// - `B NUMBER TIME`: a transaction begins.
/// - `A NUMBER OPERATION …`: an attempt has read (`r:LIST:COUNT:HASH`) and appended
///   (`a:LIST:NUMBER`).
/// - `C NUMBER TIME`, `F NUMBER` and `U NUMBER`: it's committed, failed, or its outcome is unknown.
/// - `V LIST:COUNT:HASH …`: a commit of the cache has changed lists.
/// - `E`: the cache shows all transactions.
package final class WorkLog: Sendable {
    private let file: Int32

    package init(_ path: String) { file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644) }

    deinit { close(file) }

    /// The present time, which orders the events of all processes of the machine.
    static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }

    package func append(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    }

    /// Logs the present lists, and then the changes of each commit.
    package func observe(_ cache: Cache) -> Disposable {
        cache.observeAll(WorkEntry.self, initial: true) { [self] commit in
            let lists = commit.changes.map { change in
                "\(change.id):\(WorkEntry.summary(change.new?.numbers ?? []))"
            }
            if !lists.isEmpty { append("V " + lists.joined(separator: " ")) }
        }
    }
}

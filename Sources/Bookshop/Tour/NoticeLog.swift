import Foundation

/// Collects what observers hear, until the tour asks for it.
///
/// An observer may be called on any thread that commits, hence the lock.
///
/// `@unchecked Sendable`: `lock` guards `notices`.
final class NoticeLog: @unchecked Sendable {
    private let lock = NSLock()
    private var notices: [ScreenNotice] = []

    func record(_ notice: ScreenNotice) {
        lock.withLock { notices.append(notice) }
    }

    /// Takes everything that was recorded since the last call.
    func drain() -> [ScreenNotice] {
        lock.withLock {
            defer { notices = [] }
            return notices
        }
    }
}

import Foundation

/// Collects the notifications of observers until the tour reads them.
///
/// The lock is needed because an observer may be called on any thread that commits.
///
/// `@unchecked Sendable`: `lock` guards `notices`.
final class NoticeLog: @unchecked Sendable {
    private let lock = NSLock()
    private var notices: [ScreenNotice] = []

    func record(_ notice: ScreenNotice) {
        lock.withLock { notices.append(notice) }
    }

    /// Returns all notices since the last call.
    func drain() -> [ScreenNotice] {
        lock.withLock {
            defer { notices = [] }
            return notices
        }
    }
}

import Dispatch

/// A dispatch source whose events the test triggers.
final class Trigger: @unchecked Sendable {
    // Safe, because Dispatch objects may be used on any thread.
    let source: any DispatchSourceUserDataAdd
    private let queue: DispatchQueue
    /// An event that is fired when the source is cancelled and no longer calls its handler.
    let end = Signal()

    init(queue: DispatchQueue = DispatchQueue(label: "pressure")) {
        self.queue = queue
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        source.setCancelHandler { [end] in end.fire() }
    }

    deinit {
        // An inactive source must not be released.
        source.activate()
    }

    func fire() { source.add(data: 1) }

    /// Waits until the queue has run the handlers that have begun.
    func waitForObservers() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}

import Foundation

/// The end of a command that runs until the user ends it.
enum Ending {
    /// Waits for Ctrl-C, or for the end of the standard input.
    static func wait() {
        let ended = DispatchSemaphore(value: 0)
        // Otherwise the signal ends the process before the source receives it.
        signal(SIGINT, SIG_IGN)
        let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interruption.setEventHandler { ended.signal() }
        interruption.resume()
        Thread.detachNewThread {
            // An input that can't be read counts as ended.
            while let data = try? FileHandle.standardInput.read(upToCount: 4096), !data.isEmpty {}
            ended.signal()
        }
        ended.wait()
        interruption.cancel()
    }
}

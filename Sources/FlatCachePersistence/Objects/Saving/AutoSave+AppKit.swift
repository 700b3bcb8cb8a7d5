#if canImport(AppKit) && !canImport(UIKit)
import AppKit
import Foundation

extension AutoSave {
    /// Begins to save whenever the user turns to another app: macOS may end this one from then on.
    static func saveInBackground() {
        // The names belong to the main actor in some versions of the SDK.
        Task { @MainActor in
            for name in [
                NSApplication.didResignActiveNotification,
                NSApplication.willTerminateNotification,
            ] {
                // The observer stays until the process ends, so the token is of no use.
                _ = NotificationCenter.default.addObserver(
                    forName: name,
                    object: nil,
                    queue: nil
                ) { _ in AutoSave.saveUnsavedObjects() }
            }
        }
    }
}
#endif

#if canImport(AppKit) && !canImport(UIKit)
import AppKit
import Foundation

extension AutoSave {
    /// Starts to save when the app resigns active, because macOS may terminate an inactive app, and
    /// when it terminates.
    static func saveInBackground() {
        // The names are isolated to the main actor in some versions of the SDK.
        Task { @MainActor in
            for name in [
                NSApplication.didResignActiveNotification,
                NSApplication.willTerminateNotification,
            ] {
                // The observation lasts until the process ends, so the token isn't needed.
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

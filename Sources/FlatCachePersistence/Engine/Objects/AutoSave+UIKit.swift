#if canImport(UIKit) && !os(watchOS)
import Foundation
import UIKit

extension AutoSave {
    /// Starts to save when the app enters the background, and when it terminates.
    static func saveInBackground() {
        // The names are isolated to the main actor in some versions of the SDK.
        Task { @MainActor in
            for name in [
                UIApplication.didEnterBackgroundNotification,
                UIApplication.willTerminateNotification,
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

#if canImport(UIKit) && !os(watchOS)
import Foundation
import UIKit

extension AutoSave {
    /// Begins to save whenever the app goes to the background.
    static func saveInBackground() {
        // The names belong to the main actor in some versions of the SDK.
        Task { @MainActor in
            for name in [
                UIApplication.didEnterBackgroundNotification,
                UIApplication.willTerminateNotification,
            ] {
                // It goes on for as long as the process runs, so the token is of no use.
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

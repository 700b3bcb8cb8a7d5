// The names are isolated to the main actor in some versions of the SDK.

#if os(watchOS)
import Foundation
import WatchKit

extension AutoSave {
    /// An app on the watch may end in the background.
    @MainActor static var occasions: [Notification.Name] {
        [WKApplication.didEnterBackgroundNotification]
    }
}
#elseif canImport(UIKit)
import Foundation
import UIKit

extension AutoSave {
    /// An app may end in the background.
    @MainActor static var occasions: [Notification.Name] {
        [UIApplication.didEnterBackgroundNotification, UIApplication.willTerminateNotification]
    }
}
#elseif canImport(AppKit)
import AppKit
import Foundation

extension AutoSave {
    /// macOS may terminate an inactive app.
    @MainActor static var occasions: [Notification.Name] {
        [NSApplication.didResignActiveNotification, NSApplication.willTerminateNotification]
    }
}
#else
import Foundation

extension AutoSave {
    /// This platform has no notifications of an app.
    @MainActor static var occasions: [Notification.Name] { [] }
}
#endif

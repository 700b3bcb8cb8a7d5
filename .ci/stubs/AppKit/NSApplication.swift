// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import AppleFoundation

@MainActor
open class NSApplication: NSObject {
    public class var didResignActiveNotification: NSNotification.Name {
        NSNotification.Name("NSApplicationDidResignActiveNotification")
    }
    public class var willTerminateNotification: NSNotification.Name {
        NSNotification.Name("NSApplicationWillTerminateNotification")
    }
}

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
#if !os(watchOS)
public import AppleFoundation

@MainActor
open class UIApplication: NSObject {
    public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
    }
    public class var willTerminateNotification: NSNotification.Name {
        NSNotification.Name("UIApplicationWillTerminateNotification")
    }
}
#endif

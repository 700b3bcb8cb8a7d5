// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import AppleFoundation

@MainActor
open class WKApplication: NSObject {
    public class var didEnterBackgroundNotification: NSNotification.Name {
        NSNotification.Name("WKApplicationDidEnterBackgroundNotification")
    }
}

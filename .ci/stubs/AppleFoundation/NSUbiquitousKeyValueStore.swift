// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
public import Foundation

open class NSUbiquitousKeyValueStore: NSObject {
    open class var `default`: NSUbiquitousKeyValueStore { NSUbiquitousKeyValueStore() }

    public static let didChangeExternallyNotification = NSNotification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification"
    )

    open func object(forKey aKey: String) -> Any? { nil }
    open func set(_ anObject: Any?, forKey aKey: String) {}
    open func removeObject(forKey aKey: String) {}
    open var dictionaryRepresentation: [String: Any] { [:] }
    @discardableResult open func synchronize() -> Bool { false }
}

public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"
public var NSUbiquitousKeyValueStoreServerChange: Int { 0 }
public var NSUbiquitousKeyValueStoreInitialSyncChange: Int { 1 }
public var NSUbiquitousKeyValueStoreQuotaViolationChange: Int { 2 }
public var NSUbiquitousKeyValueStoreAccountChange: Int { 3 }

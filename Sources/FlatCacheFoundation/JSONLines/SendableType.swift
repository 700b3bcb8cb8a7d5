// A function that reads a source on any actor needs the source's conformances there. The standard
// library has the constraint since Swift 6.2.

#if compiler(>=6.2)
/// A type without actor-isolated conformances: `SendableMetatype`, or any type before Swift 6.2.
public typealias SendableType = SendableMetatype
#else
/// A type without actor-isolated conformances: `SendableMetatype`, or any type before Swift 6.2.
public typealias SendableType = Any
#endif

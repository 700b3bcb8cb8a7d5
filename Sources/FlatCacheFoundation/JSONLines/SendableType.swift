// A function that reads a source on any actor needs the source's conformances there. The standard
// library has the constraint since Swift 6.2.

#if compiler(>=6.2)
/// A type whose conformances can be used on any actor, as those of all types can that aren't
/// declared as isolated to an actor.
public typealias SendableType = SendableMetatype
#else
/// A type whose conformances can be used on any actor.
public typealias SendableType = Any
#endif

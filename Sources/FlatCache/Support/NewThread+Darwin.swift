#if canImport(Darwin)
import Darwin

/// Runs a closure on a new thread, or on the calling thread if the system can't create another one.
func runOnNewThread(_ body: @escaping @Sendable () -> Void) {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED)
    let argument = Unmanaged.passRetained(ThreadBody(body))
    var thread: pthread_t?
    let status = pthread_create(
        &thread,
        &attributes,
        { argument in
            Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        },
        argument.toOpaque()
    )
    pthread_attr_destroy(&attributes)
    if status != 0 { argument.takeRetainedValue().run() }
}
#endif

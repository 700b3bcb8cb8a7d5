@testable import FlatCacheTestSupport

extension Task where Failure == Never {
    /// The result of the task, which is cancelled together with the awaiting task, for example by
    /// the time limit of a test.
    var valueUnlessCancelled: Success {
        get async {
            await withTaskCancellationHandler {
                await value
            } onCancel: {
                cancel()
            }
        }
    }
}

/// A queue of waiters. Appending a waiter and removing one from the middle, by binary search, stay fast however many
/// wait.
///
/// The methods pass no element to a closure: other modules use this generic type unspecialized, and a closure would
/// then allocate memory for each waiter.
package struct WaiterQueue<Waiter: Sendable>: Sendable {
    /// The waiters with their numbers, in rising order. The waiter is `nil` after it was removed.
    private var places: [(number: UInt64, waiter: Waiter?)] = []
    /// The number of elements at the front that `removeFirst()` has passed. None of them has a waiter.
    private var head = 0
    package private(set) var count = 0

    package init() {}

    /// Inserts a waiter by its number, normally at the end.
    /// - Parameter number: identifies the waiter, and decides its position. Callers get rising numbers before they lock
    ///   the queue, so a number may, though seldom, arrive after a larger one.
    package mutating func append(_ waiter: Waiter, as number: UInt64) {
        places.append((number, waiter))
        count += 1
        var position = places.count - 1
        while position > head, places[position - 1].number > number {
            places.swapAt(position - 1, position)
            position -= 1
        }
    }

    /// Removes and returns the waiter with this number; `nil` when it is not in the queue.
    package mutating func remove(_ number: UInt64) -> Waiter? {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].number < number { low = middle + 1 } else { high = middle }
        }
        guard low < places.count, places[low].number == number, let waiter = places[low].waiter else { return nil }
        places[low].waiter = nil
        count -= 1
        return waiter
    }

    /// Removes and returns the waiter with the lowest number; `nil` when the queue is empty.
    package mutating func removeFirst() -> Waiter? {
        while head < places.count {
            let waiter = places[head].waiter
            places[head].waiter = nil
            head += 1
            guard let waiter else { continue }
            count -= 1
            // Move the elements only when more than half of them are empty, so that the cost per waiter stays small.
            if head > 64, head * 2 > places.count {
                places.removeFirst(head)
                head = 0
            }
            return waiter
        }
        (places, head) = ([], 0)
        return nil
    }

    package var waiters: [Waiter] {
        var waiters: [Waiter] = []
        waiters.reserveCapacity(count)
        for place in places {
            if let waiter = place.waiter { waiters.append(waiter) }
        }
        return waiters
    }
}

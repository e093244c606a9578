#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation

/// The event loop of an engine's thread. Confined to that thread.
final class CurlLoop {
    /// A transfer in progress, with the memory that libcurl needs for it.
    private struct Running {
        let transfer: CurlTransfer
        let lists: [UnsafeMutableRawPointer?]
        let words: UnsafeMutablePointer<CChar>
        let check: UnsafeMutablePointer<identity_curl_check>?
        let start = ContinuousClock.now
        /// When the current round of connection attempts began. In a round, libcurl tries each address of the host once.
        var began: ContinuousClock.Instant
    }

    private let inbox: CurlEngine.Inbox
    private let refusesPrivate: Bool
    private let patience: Duration
    private let prepare: CurlEngine.Preparation
    private let attempts: ConnectionAttempts
    private var running: [UnsafeMutableRawPointer: Running] = [:]

    init(
        _ inbox: CurlEngine.Inbox, refusesPrivate: Bool, patience: Duration, prepare: @escaping CurlEngine.Preparation
    ) {
        (self.inbox, self.prepare, attempts) = (inbox, prepare, ConnectionAttempts())
        (self.refusesPrivate, self.patience) = (refusesPrivate, patience)
    }

    func run() {
        Self.blockBrokenPipes()
        let group = inbox.group.pointer
        while obeyed() {
            identity_curl_group_perform(group)
            var code: Int32 = 0
            while let request = identity_curl_group_ended(group, &code) { ended(request, code) }
            attempts.giveUpOnSlowOnes()
            // While requests run, wait for 250 ms at most, because libcurl sets no timer for trying the next address
            // after a failed attempt.
            identity_curl_group_wait(group, running.isEmpty ? 60_000 : 250)
        }
        for (request, entry) in running {
            // Reached only by a programming error, because every task that waits for a transfer keeps the engine alive.
            entry.transfer.end(.failure(TransportError.connectionLost(host: entry.transfer.host)))
            forget(request)
        }
        // Also closes the connections and reports that to `attempts`.
        identity_curl_group_free(group)
    }

    /// Blocks SIGPIPE on this thread. The TLS library calls `write`, which raises the signal when the peer has closed
    /// the socket.
    private static func blockBrokenPipes() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Carries out the commands in the inbox.
    /// - Returns: `false` when the engine is to end.
    private func obeyed() -> Bool {
        for command in inbox.takeAll() {
            switch command {
            case .start(let transfer): start(transfer)
            case .drop(let transfer, let closesConnection):
                guard let request = request(of: transfer) else { continue }
                // By itself, libcurl would keep a connection of HTTP/2 open.
                if closesConnection { CurlOption.closesConnection.set(1, of: request) }
                forget(request)
            case .goOn(let transfer): if let request = request(of: transfer) { identity_curl_request_go_on(request) }
            case .end: return false
            }
        }
        return true
    }

    private func request(of transfer: CurlTransfer) -> UnsafeMutableRawPointer? {
        running.first { $0.value.transfer === transfer }?.key
    }

    private func start(_ transfer: CurlTransfer) {
        guard !transfer.isOver else { return }
        guard let request = identity_curl_request_new() else {
            return transfer.end(.failure(TransportError.notSent(host: transfer.host, detail: "no memory is left")))
        }
        let addresses = prepare(request, transfer.request.url)
        let words = UnsafeMutablePointer<CChar>.allocate(capacity: 512)
        words.initialize(repeating: 0, count: 512)
        _ = identity_curl_request_set_words(request, words)
        let fields = transfer.request.prepare(request)
        identity_curl_request_set_callbacks(
            request, CurlTransfer.callbacks, Unmanaged.passUnretained(transfer).toOpaque())
        identity_curl_request_set_sockets(request, attempts.sockets)
        let check = refusesPrivate ? attempts.check(of: transfer) : nil
        if let check { identity_curl_request_set_check(request, check) }
        running[request] = Running(
            transfer: transfer, lists: [addresses, fields], words: words, check: check, began: .now)
        _ = identity_curl_group_add(inbox.group.pointer, request)
    }

    private func ended(_ request: UnsafeMutableRawPointer, _ code: Int32) {
        guard let entry = running[request] else { return }
        let transfer = entry.transfer
        if code == 0 {
            transfer.end(.success(()))
        } else if !transfer.isOver {
            if !transfer.wasSent, transfer.metPrivateAddress {
                transfer.end(.failure(TransportError.privateAddress(host: transfer.host)))
                return forget(request)
            }
            let said = String(cString: entry.words)
            let error = CurlFailure.error(
                code: code, words: said.isEmpty ? String(cString: identity_curl_words(code)) : said,
                of: request, for: transfer)
            if !transfer.wasSent, CurlFailure.isNotConnected(code) {
                transfer.note(error)
                // No address has accepted a connection for two seconds or more, so nothing was sent. Start again with the
                // first address. Stop after `patience`, because a deadline of minutes is meant for the response, not for
                // connecting. A quicker failure, such as a refusal, is final.
                if entry.began.duration(to: .now) >= ConnectionAttempts.limit,
                    entry.start.duration(to: .now) < patience
                {
                    return again(request)
                }
            }
            transfer.end(.failure(error))
        }
        forget(request)
    }

    private func again(_ request: UnsafeMutableRawPointer) {
        identity_curl_group_remove(inbox.group.pointer, request)
        running[request]?.began = .now
        _ = identity_curl_group_add(inbox.group.pointer, request)
    }

    private func forget(_ request: UnsafeMutableRawPointer) {
        guard let entry = running.removeValue(forKey: request) else { return }
        identity_curl_group_remove(inbox.group.pointer, request)
        identity_curl_request_free(request)
        for list in entry.lists { identity_curl_list_free(list) }
        entry.words.deallocate()
        entry.check?.deallocate()
    }
}
#endif

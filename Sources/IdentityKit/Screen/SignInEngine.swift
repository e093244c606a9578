import Foundation

/// Keeps a ``SignInScreen`` up to date with a client, runs the sign-ins that the screen's buttons begin, and shows the
/// steps of a sign-in on the screen. Set the engine as the environment's prompter and presenter of device codes, and
/// call ``follow(_:)`` while the screen is shown.
public actor SignInEngine: FlowPrompter, DeviceCodePresenter {
    public private(set) var screen = SignInScreen() {
        didSet { if screen != oldValue { for stream in streams.values { stream.yield(screen) } } }
    }

    private var client: IdentityClient?
    private var task: Task<Void, Never>?
    /// Task of the sign-in that was ended last. The next sign-in waits for this task, because the page of the ended
    /// sign-in may still be open.
    private var ending: Task<Void, Never>?
    /// Number of the latest sign-in. Also rises when a sign-in ends, so that the result of an earlier sign-in is
    /// ignored.
    private var turn = 0
    /// Number of the latest step, so that withdrawing an earlier step has no effect.
    private var question = 0
    /// Number of the latest look-up of the accounts, so that the result of an earlier look-up is ignored.
    private var look = 0
    /// The notice on the screen that the store could not be read at the latest look-up; `nil` when no such notice is
    /// shown. The next look-up removes the notice.
    private var storeNotice: SignInScreen.Notice?
    private var followers = 0
    /// Number of the configuration with which the running sign-in began.
    private var epoch: Int?
    private var waiting: CheckedContinuation<PromptAnswer, any Error>?
    private var streams: [UUID: AsyncStream<SignInScreen>.Continuation] = [:]

    public init() {}

    /// The screens from now on, beginning with the current one. A slow reader skips to the newest.
    public func screens() -> AsyncStream<SignInScreen> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SignInScreen.self, bufferingPolicy: .bufferingNewest(1))
        let id = UUID()
        streams[id] = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.forget(id) } }
        continuation.yield(screen)
        return stream
    }

    /// Keeps the screen up to date with `client` until the task is cancelled. The running sign-in ends when the
    /// configuration with which it began is replaced. It also ends when the last running call of this function ends.
    public func follow(_ client: IdentityClient) async {
        self.client = client
        followers += 1
        let events = client.events()
        await refresh()
        for await event in events {
            switch event {
            case .configurationChanged:
                // Do not stop a sign-in that already began under the new configuration.
                if task == nil || epoch != client.epoch { stop(because: .configurationChanged) }
            case .suspended(_, let suspension): screen.notice = .words(suspension.reason)
            case .sessionEnded(let account, let reason):
                screen.notice = .words(SessionError.ended(account, reason: reason).message)
            case .belongsElsewhere(_, let reason), .configurationRejected(let reason): screen.notice = .words(reason)
            case .signedIn, .fellBack:
                screen.notice = nil
                // A sign-in that the app began itself also shows its steps here. Only this event reports that such a
                // sign-in has ended.
                if task == nil { screen.deviceCode = nil }
            case .signedOut: break
            }
            await refresh()
        }
        followers -= 1
        // Stop only when no other call follows the client: another view, or the same view drawn again, may still show
        // the screen.
        if followers == 0 { stop() }
    }

    /// Performs the action of a button. Does nothing before ``follow(_:)`` is called, and for a button that is not on
    /// the screen or is disabled.
    public func perform(_ action: SignInScreen.Action) async {
        guard let client, screen.offers(action, at: client.environment.time.now) else { return }
        switch action {
        case .signIn(let name): begin(of: client) { try await client.signInWithTask(with: name) }
        case .continueAs(let account):
            if let name = screen.people.first(where: { $0.account == account })?.signInAt {
                return begin(of: client) { try await client.signInAgain(as: account, with: name) }
            }
            do { try await client.select(account) } catch { screen.notice = .init(error) }
        case .answer(let identifier): send(identifier)
        case .cancel: stop()
        }
    }

    /// Stores the value of a field of the open step. Does nothing for a field that is not on the screen.
    public func enter(_ text: Secret, in field: String) {
        guard screen.prompt?.fields.contains(where: { $0.identifier == field }) == true else { return }
        var next = screen
        next.values[field] = text
        next.problems[field] = nil
        next.focus = nil
        screen = next
    }

    /// Shows a step, and waits for the person's answer.
    /// - Throws: `CancellationError` when the sign-in ends first, such as when the person cancels or the configuration
    ///   changes, or when another step replaces this one.
    public func answer(_ prompt: SignInPrompt) async throws -> PromptAnswer {
        close()
        question += 1
        let asked = question
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // Open no step for a sign-in that has ended meanwhile.
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                waiting = continuation
                show(prompt)
            }
        } onCancel: {
            Task { await self.close(question: asked) }
        }
    }

    /// Shows a code to enter on another device.
    /// - Throws: `CancellationError` when the task of the sign-in is cancelled.
    public func show(_ code: DeviceCode) async throws {
        try Task.checkCancellation()
        screen.deviceCode = code
        screen.isBusy = false
    }

    private func begin(of client: IdentityClient, _ signIn: @escaping @Sendable () async throws -> Void) {
        guard task == nil else { return }
        turn += 1
        let (begun, earlier) = (turn, ending)
        epoch = client.epoch
        screen.notice = nil
        screen.isBusy = true
        task = Task {
            await earlier?.value
            do {
                try await signIn()
                self.end(begun, nil)
            } catch {
                self.end(begun, error)
            }
            await self.refresh()
        }
    }

    private func end(_ ended: Int, _ error: (any Error)?) {
        guard ended == turn else { return }
        if error == nil { screen.values = [:] }
        stop(because: error.flatMap { SignInScreen.Notice($0) })
    }

    /// Ends the running sign-in. Shows `notice` only if a sign-in was running. Entered values stay, except for secrets.
    private func stop(because notice: SignInScreen.Notice? = nil) {
        // Publish all changes at once, so that no view shows the end of the sign-in without the reason.
        var next = screen
        if let notice, task != nil || waiting != nil { next.notice = notice }
        turn += 1
        if let task {
            task.cancel()
            ending = task
        }
        task = nil
        close()
        if let prompt = next.prompt { next.forgetSecrets(of: prompt) }
        next.prompt = nil
        next.deviceCode = nil
        next.problems = [:]
        next.focus = nil
        next.isBusy = false
        screen = next
    }

    /// Closes step number `asked`, because its task was cancelled, such as after a passkey was used instead. Does
    /// nothing when the step was answered or another one has replaced it.
    private func close(question asked: Int) {
        guard asked == question, waiting != nil else { return }
        close()
        rest()
    }

    /// Shows that the screen waits for the provider. For a sign-in that the app began itself, removes the step instead,
    /// because the engine may not learn when that sign-in ends.
    private func rest() {
        if task != nil { return screen.isBusy = true }
        if let prompt = screen.prompt { screen.forgetSecrets(of: prompt) }
        screen.prompt = nil
    }

    private func close() {
        waiting?.resume(throwing: CancellationError())
        waiting = nil
    }

    private func show(_ prompt: SignInPrompt) {
        if let earlier = screen.prompt { screen.forgetSecrets(of: earlier) }
        screen.values = screen.values.filter { value in prompt.fields.contains { $0.identifier == value.key } }
        screen.problems = [:]
        screen.deviceCode = nil
        // Publish both changes at once, so that a view knows the focused field when it draws the step.
        var next = screen
        next.prompt = prompt
        next.focus = prompt.wrongField?.identifier
        next.isBusy = false
        screen = next
    }

    private func send(_ identifier: String?) {
        guard let prompt = screen.prompt, let waiting else { return }
        let goesOn = prompt.actions.first { $0.identifier == identifier }.map { $0.purpose == .goOn } ?? true
        if goesOn {
            var next = screen
            next.problems = prompt.problems(in: screen.values)
            next.focus = prompt.fields.first { next.problems[$0.identifier] != nil }?.identifier
            screen = next
            guard screen.problems.isEmpty else { return }
        }
        self.waiting = nil
        let values = prompt.values(of: screen.values, goesOn: goesOn)
        rest()
        waiting.resume(returning: PromptAnswer(values: values, action: identifier))
    }

    private func refresh() async {
        guard let client else { return }
        look += 1
        let begun = look
        var (accounts, failure) = ([AccountSummary]?.none, SignInScreen.Notice?.none)
        do {
            accounts = try await client.accounts().accounts
        } catch {
            failure = SignInScreen.Notice(error)
        }
        guard begun == look else { return }
        let candidates = client.signInCandidates(replacing: nil).filter(\.mayShowSignIn)
        var next = screen
        next.backends = client.choosableBackends
        if next.notice == storeNotice { next.notice = nil }
        storeNotice = next.notice == nil ? failure : nil
        next.notice = next.notice ?? failure
        // If the store cannot be read, keep the people, because they may be signed in.
        if let accounts {
            next.people = accounts.compactMap { summary in
                let (account, profile) = (summary.account, summary.profile)
                let name = profile?.displayName ?? profile?.email ?? profile?.username ?? account.account
                let place = candidates.first { $0.realms.contains(account.realm) }?.name
                return switch summary.session {
                case .live where client.serves(account): SignInScreen.Person(account: account, name: name)
                case .suspended, .ended: place.map { SignInScreen.Person(account: account, name: name, signInAt: $0) }
                case .live, .kept: nil
                }
            }
        }
        screen = next
    }

    private func forget(_ id: UUID) { streams[id] = nil }
}

extension SignInScreen {
    fileprivate mutating func forgetSecrets(of prompt: SignInPrompt) {
        for field in prompt.fields where field.kind.isSecret { values[field.identifier] = nil }
    }
}

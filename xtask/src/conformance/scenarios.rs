//! Which scenarios are run, and why others are not.

/// The revisions of the protocol that the server speaks.
pub(super) const VERSIONS: [&str; 3] = ["2025-06-18", "2025-11-25", "2026-07-28"];

/// Base scenarios that apply to a server with resources, tools and prompts of its own.
pub(super) const BASE: &[&str] = &[
    "caching",
    "completion-complete",
    "dns-rebinding-protection",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "ping",
    "prompts-list",
    "resources-list",
    "sep-2164-resource-not-found",
    "server-initialize",
    "server-session-lifecycle",
    "server-sse-multiple-streams",
    "server-stateless",
    "tools-list",
];

/// The Skills extension, which the suite lists for no revision.
pub(super) const EXTENSION: &[&str] = &[
    "sep-2640-skills-directory",
    "sep-2640-skills-enumeration",
    "sep-2640-skills-manifest",
];

/// Scenarios in which the suite is the server and our host the client.
pub(super) const CLIENT: &[&str] = &[
    "sep-2640-client-no-prefetch",
    "sep-2640-client-verify-digest",
    "sep-2640-client-verify-frontmatter",
    "sep-2640-client-verify-size",
];

/// Checks of scenarios above that need a tool which only a test server has.
pub(super) const UNTESTABLE: &[&str] = &[
    // `test_missing_capability`
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    // `test_streaming_elicitation`
    "sep-2575-http-server-no-independent-requests-on-stream",
    // `test_logging_tool`
    "sep-2575-server-no-log-without-loglevel",
];

const TOOL: &str = "calls a tool that only a test server has";
const PROMPT: &str = "gets a prompt that only a test server has";
const RESOURCE: &str = "reads a resource that only a test server has";
const ASKS: &str = "is about a server that asks its client for input; ours asks nothing";
const TASKS: &str = "is about the tasks extension, which is not declared; every answer is at hand";

/// Scenarios that do not apply, and why.
pub(super) const NOT_APPLICABLE: &[(&str, &str)] = &[
    ("elicitation-sep1034-defaults", ASKS),
    ("elicitation-sep1330-enums", ASKS),
    (
        "http-custom-header-server-validation",
        "is about tools with `x-mcp-header` parameters; ours have none",
    ),
    ("input-required-result-basic-elicitation", ASKS),
    ("input-required-result-basic-list-roots", ASKS),
    ("input-required-result-basic-sampling", ASKS),
    ("input-required-result-capability-check", ASKS),
    ("input-required-result-ignore-extra-params", ASKS),
    ("input-required-result-missing-input-response", ASKS),
    ("input-required-result-multi-round", ASKS),
    ("input-required-result-multiple-input-requests", ASKS),
    ("input-required-result-non-tool-request", ASKS),
    ("input-required-result-request-state", ASKS),
    ("input-required-result-result-type", ASKS),
    ("input-required-result-tampered-state", ASKS),
    ("input-required-result-validate-input", ASKS),
    ("json-schema-2020-12", TOOL),
    (
        "logging-set-level",
        "is about logging to the client, which is not declared; the log is on standard error",
    ),
    ("prompts-get-embedded-resource", PROMPT),
    ("prompts-get-simple", PROMPT),
    ("prompts-get-with-args", PROMPT),
    ("prompts-get-with-image", PROMPT),
    ("resources-read-binary", RESOURCE),
    ("resources-read-text", RESOURCE),
    (
        "resources-subscribe",
        "is about subscriptions to one resource, which are not declared",
    ),
    ("resources-templates-read", RESOURCE),
    (
        "resources-unsubscribe",
        "is about subscriptions to one resource, which are not declared",
    ),
    (
        "server-sse-polling",
        "calls a tool that only a test server has, to see a stream taken up again",
    ),
    ("tasks-capability-negotiation", TASKS),
    ("tasks-dispatch-and-envelope", TASKS),
    ("tasks-lifecycle", TASKS),
    ("tasks-mrtr-composition", TASKS),
    ("tasks-mrtr-input", TASKS),
    ("tasks-request-headers", TASKS),
    ("tasks-request-state-removal", TASKS),
    ("tasks-required-task-error", TASKS),
    ("tasks-status-notifications", TASKS),
    ("tasks-wire-fields", TASKS),
    ("tools-call-audio", TOOL),
    ("tools-call-elicitation", ASKS),
    ("tools-call-embedded-resource", TOOL),
    ("tools-call-error", TOOL),
    ("tools-call-image", TOOL),
    ("tools-call-mixed-content", TOOL),
    ("tools-call-sampling", ASKS),
    ("tools-call-simple-text", TOOL),
    ("tools-call-with-logging", TOOL),
    ("tools-call-with-progress", TOOL),
];

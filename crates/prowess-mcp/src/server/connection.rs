//! One client's side of the server: each request of the protocol, answered from one snapshot.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CompletionInfo, CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse,
        Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Reference,
        ServerCapabilities, ServerConfig, SubscriptionFilter, Tool,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::Value as Json;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    EXTENSION, Shared, SkillServer, changes,
    page::{List, bad_cursor},
    prompts, resources, tools,
    view::View,
};

/// How long a client may hold an answer without asking again. Skills are edited while they are
/// used, and clients that listen are told at once.
const TTL_MS: u64 = 5_000;

/// As many completions as the protocol allows.
const COMPLETIONS: usize = 100;

/// One client's side of the server. What it started ends when it is dropped.
#[derive(Debug)]
pub struct Connection {
    server: SkillServer,
    alive: CancellationToken,
    _end: DropGuard,
}

impl Connection {
    pub(crate) fn new(server: SkillServer) -> Self {
        let alive = CancellationToken::new();
        Self {
            server,
            _end: alive.clone().drop_guard(),
            alive,
        }
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.server.shared
    }

    /// Does work that reads files away from the threads that carry messages.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        task: impl FnOnce(&Shared, &View) -> Result<T, ErrorData> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let shared = Arc::clone(self.shared());
        let done = tokio::task::spawn_blocking(move || task(&shared, &shared.view()));
        done.await
            .map_err(|_| ErrorData::internal_error("the request could not be finished", None))?
    }
}

/// Whether the client speaks a revision in which results say how long they hold.
pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
}

fn cursor_of(request: Option<PaginatedRequestParams>) -> Option<String> {
    request.and_then(|request| request.cursor)
}

/// A list that fits on one page never gave a cursor.
fn one_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    cursor_of(request).map_or(Ok(()), |_| Err(bad_cursor()))
}

/// Gives a list its page and, for clients that know them, how long it holds.
macro_rules! listed {
    ($type:ident, $items:expr, $next:expr, $context:expr) => {{
        let mut result = $type::with_all_items($items);
        result.next_cursor = $next;
        if is_modern(&$context) {
            result = result
                .with_ttl_ms(TTL_MS)
                .with_cache_scope(CacheScope::Private);
        }
        result
    }};
}

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let view = self.shared().view();
        let mut settings = JsonObject::new();
        settings.insert("directoryRead".to_owned(), Json::Bool(true));
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_extensions_with([(EXTENSION.to_owned(), settings)].into())
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let mut info = ServerConfig::new(capabilities);
        info.server_info =
            Implementation::new("prowess", env!("CARGO_PKG_VERSION")).with_title("Prowess skills");
        info.with_instructions(tools::instructions(&view.catalog, &view.tools))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(request)?;
        let tools = self.shared().view().tools.clone();
        Ok(listed!(ListToolsResult, tools, None, context))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let view = self.shared().view();
        view.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        #[cfg(feature = "run")]
        if request.name == tools::RUN && self.get_tool(tools::RUN).is_some() {
            return self.run_script(request, context).await;
        }
        drop(context);
        let view = self.shared().view();
        let arguments = request.arguments.unwrap_or_default();
        let name = request.name.into_owned();
        let options = &self.shared().options;
        // A search reads no file and is done in less time than a change of threads takes.
        let result = if name == tools::SEARCH {
            tools::call(&view.catalog, options, &name, arguments)
        } else {
            let called = name.clone();
            self.work(move |shared, view| {
                Ok(tools::call(
                    &view.catalog,
                    &shared.options,
                    &called,
                    arguments,
                ))
            })
            .await?
        };
        result.map(CallToolResponse::from).ok_or_else(|| {
            let names = view.tools.iter().map(|tool| format!("`{}`", tool.name));
            let message = format!(
                "no tool named `{}`; there are {}",
                prowess::display_text(&name),
                names.collect::<Vec<_>>().join(", ")
            );
            ErrorData::invalid_params(message, None)
        })
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let view = self.shared().view();
        let cursor = cursor_of(request);
        let (page, next) =
            List::Prompts.page(&view.prompts, |(_, prompt)| &prompt.name, cursor.as_deref())?;
        let prompts = page.iter().map(|(_, prompt)| prompt.clone()).collect();
        Ok(listed!(ListPromptsResult, prompts, next, context))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.work(move |shared, view| {
            let Some((skill, prompt)) = view.prompt(&request.name) else {
                let name = prowess::display_text(&request.name);
                let message = format!("no prompt named `{name}`");
                return Err(ErrorData::invalid_params(message, None));
            };
            let given = request.arguments.as_ref();
            for argument in prompt.arguments.iter().flatten() {
                let missing = given.and_then(|given| given.get(&argument.name)).is_none();
                if argument.required == Some(true) && missing {
                    let message = format!("the prompt `{}` needs `{}`", prompt.name, argument.name);
                    return Err(ErrorData::invalid_params(message, None));
                }
            }
            Ok(prompts::get(&view.catalog, &shared.options, skill, given).into())
        })
        .await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = cursor_of(request);
        let (page, next) = self
            .work(move |shared, view| resources::list(shared, view, cursor.as_deref()))
            .await?;
        Ok(listed!(ListResourcesResult, page, next, context))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(request)?;
        let templates = resources::templates();
        Ok(listed!(
            ListResourceTemplatesResult,
            templates,
            None,
            context
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = match resources::cached_text(self.shared(), &request.uri) {
            Some(contents) => contents,
            None => {
                let uri = request.uri;
                self.work(move |shared, view| resources::read(shared, view, &uri))
                    .await?
            }
        };
        let mut result = ReadResourceResult::new(vec![contents]);
        if is_modern(&context) {
            result = result
                .with_ttl_ms(TTL_MS)
                .with_cache_scope(CacheScope::Private);
        }
        Ok(result.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        // What a prompt takes is free text; only the template has values to offer.
        let is_ours =
            matches!(&request.r#ref, Reference::Resource(it) if it.uri == resources::TEMPLATE);
        if !is_ours {
            return Ok(CompleteResult::default());
        }
        self.work(move |shared, view| {
            let context = request.context.as_ref();
            let name = context.and_then(|context| context.get_argument("name"));
            let argument = &request.argument;
            let mut values = resources::complete(
                shared,
                view,
                &argument.name,
                &argument.value,
                name.map(String::as_str),
            );
            let total = values.len();
            values.truncate(COMPLETIONS);
            let info = CompletionInfo::with_pagination(
                values,
                u32::try_from(total).ok(),
                total > COMPLETIONS,
            );
            info.map(CompleteResult::new)
                .map_err(|message| ErrorData::internal_error(message, None))
        })
        .await
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let mut result = self.extension(request).await?;
        if is_modern(&context) {
            result["resultType"] = "complete".into();
            // The extension asks for these of lists and entries; some clients do of folders too.
            result["ttlMs"] = TTL_MS.into();
            result["cacheScope"] = "private".into();
        }
        Ok(CustomResult::new(result))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        tokio::spawn(changes::to_client(
            self.shared().current.changes(),
            context.peer,
            self.alive.clone(),
        ));
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.clone();
        accepted.resource_subscriptions = None;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        changes::to_listener(self.shared().current.changes(), &context, &self.alive).await;
        Ok(())
    }
}

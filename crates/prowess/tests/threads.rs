//! What may cross threads, checked by the compiler: a host can store and share these, and hold
//! them across an `await`.

use prowess::{
    Authority, Catalog, ContextOptions, Coordinator, Injection, Ledger, Skill, SkillContext,
    Source, Tool, ToolCheck, ToolOptions, ToolRegistry, ToolResult, Toolset, Triggers,
    context::Resolution,
    tool::{ReadTool, SearchTool, SkillTool},
};

fn crosses<T: Send + Sync + ?Sized>() {}

#[test]
fn these_are_send_and_sync() {
    crosses::<Catalog>();
    crosses::<Skill>();
    crosses::<Triggers>();
    crosses::<Ledger>();
    crosses::<Authority>();
    crosses::<Injection>();
    crosses::<ContextOptions>();
    crosses::<Coordinator<String>>();
    // Also where the host's own tools may not: the coordinator holds none.
    crosses::<Coordinator<std::rc::Rc<str>>>();
    crosses::<SkillContext<String>>();
    crosses::<Resolution<String>>();
    crosses::<dyn ToolRegistry<String>>();
    crosses::<ToolCheck>();
    crosses::<ToolOptions>();
    crosses::<Toolset>();
    crosses::<SkillTool>();
    crosses::<SearchTool>();
    crosses::<ReadTool>();
    crosses::<dyn Tool>();
    crosses::<ToolResult>();
    crosses::<Box<dyn Source>>();
    #[cfg(feature = "watch")]
    crosses::<prowess::LiveCatalog>();
}

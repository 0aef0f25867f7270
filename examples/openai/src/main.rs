//! Asks one question of a model that has the skills of `examples/skills`.

use std::{env, error::Error, sync::Arc};

use prowess::{Catalog, ToolOptions, Toolset};
use prowess_example_openai::Agent;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let question = env::args().nth(1).ok_or("give a question")?;
    let url = env::var("OPENAI_BASE_URL").unwrap_or("https://api.openai.com/v1".into());
    let model = env::var("OPENAI_MODEL").unwrap_or("gpt-5-mini".into());
    let key = env::var("OPENAI_API_KEY").unwrap_or_default();
    let catalog = Catalog::from_dirs([concat!(env!("CARGO_MANIFEST_DIR"), "/../skills")]);
    let skills = Toolset::new(Arc::new(catalog), ToolOptions::default());
    let mut agent = Agent::new(&url, &key, &model, &skills);
    println!("{}", agent.ask(&question).await?);
    Ok(())
}

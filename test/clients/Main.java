import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.MetadataApi;
import org.openapitools.client.api.ReportsApi;
import org.openapitools.client.model.*;

/** Calls the API with the generated client, and prints what it returns; arguments are the base URL and the API key. */
public class Main {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    client.setRequestInterceptor(request -> request.header("Ocp-Apim-Subscription-Key", arguments[1]));

    AccountResponse accounts = new MetadataApi(client).listAccounts(0L, 2L, null);
    System.out.println(accounts.getData().get(0).getName() + " " + accounts.getMeta().getPage().getTotal());

    ReportRequest request = new ReportRequest()
        .startDate("2026-02-23")
        .endDate("2026-03-01")
        .advertiserIds(List.of())
        .filters(List.of())
        .addMetricsItem(Metric.IMPRESSIONS)
        .addMetricsItem(Metric.COST)
        .addDimensionsItem(Dimension.CAMPAIGN_NAME)
        .sort(List.of(new ReportSort().field(ReportField.COST).order(ReportSort.OrderEnum.DESC)))
        .pagination(new ReportPagination().offset(0L).size(1L));
    ReportsApi reports = new ReportsApi(client);
    ReportResultResponse report = reports.submitReport(Experience.PLA, request);
    ReportRow row = report.getData().get(0);
    System.out.println(report.getTotalCount() + " " + row.getCampaignName() + " " + row.getImpressions() + " " + row.getCost());

    try {
      reports.submitReport(Experience.PLA, request.endDate("2026-02-01"));
    } catch (ApiException error) {
      System.out.println(error.getCode() + " " + client.getObjectMapper().readValue(error.getResponseBody(), Problem.class).getCode());
    }
  }
}
